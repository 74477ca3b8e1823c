// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MACHINE_H
#define SMP_EMULATOR_MACHINE_H

#include "smp/emulator/Launch.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace smp::emulator {

/// A device for one module, whose kernels take buffers (.u64) and numbers.
class Machine {
public:
  explicit Machine(const std::string &text, uint32_t computeCapability = 80)
      : memory(uint64_t(1) << 28) {
    module = Module::parse(text, computeCapability, memory, error);
  }

  /// A buffer with these values, or of bytes that nobody has written.
  template <typename T>
  uint64_t buffer(const std::vector<T> &values) {
    const uint64_t address = memory.allocate(values.size() * sizeof(T));
    memory.copyIn(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  uint64_t raw(uint64_t bytes) { return memory.allocate(bytes); }

  template <typename T>
  std::vector<T> values(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_FALSE(memory.copyOut(values.data(), address, count * sizeof(T)));
    return values;
  }

  /// Runs a kernel whose parameters are all of 8 bytes.
  LaunchResult run(const std::string &kernel, Dim3 grid, Dim3 block,
                   const std::vector<uint64_t> &parameters) {
    launch.kernel = module ? module->kernel(kernel) : nullptr;
    EXPECT_TRUE(launch.kernel) << error;
    if (!launch.kernel)
      return {};
    launch.grid = grid;
    launch.block = block;
    launch.parameters = std::as_bytes(std::span(parameters));
    return emulator::run(launch, memory);
  }

  Memory memory;
  std::unique_ptr<Module> module;
  std::string error;
  Launch launch; ///< What run() does not set.
};

/// The head of a module.
inline const std::string kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A module of one kernel `k` with `parameters` addresses %rd1, %rd2, ... and
/// the thread's number in %r1 (4 times that in %rd20, 8 times in %rd21). The
/// body's first line is line 21 of the text.
inline std::string kernelOf(int parameters, const std::string &body,
                            const std::string &before = "") {
  std::string text = kHead + before + ".visible .entry k(";
  for (int i = 0; i < parameters; ++i)
    text += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
  text += ") {\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n"
          ".reg .b32 %f<40>;\n.reg .b64 %rd<40>;\n.reg .b64 %d<40>;\n";
  std::string loads;
  for (int i = 0; i < parameters; ++i)
    loads += "ld.param.u64 %rd" + std::to_string(i + 1) + ", [p" +
             std::to_string(i) + "]; ";
  return text + loads +
         "\nmov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mov.u32 %r32, "
         "%ntid.x;\n"
         "mad.lo.s32 %r1, %r31, %r32, %r30;\n"
         "mul.wide.s32 %rd20, %r1, 4; mul.wide.s32 %rd21, %r1, 8;\n" +
         body + "\nret;\n}\n";
}

} // namespace smp::emulator

#endif // SMP_EMULATOR_MACHINE_H
