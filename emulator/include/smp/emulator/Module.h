// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MODULE_H
#define SMP_EMULATOR_MODULE_H

#include "smp/emulator/Memory.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace smp::emulator {

struct Declared;
struct Program;

/// A parameter of a kernel: its place in the packed bytes of a launch.
struct Parameter {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// A kernel of a module, decoded. Lives as long as its module.
class Kernel {
public:
  explicit Kernel(std::unique_ptr<Program> program);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const std::string &name() const;
  const std::vector<Parameter> &parameters() const;
  /// Bytes of all parameters, with the gaps that alignment makes.
  uint32_t parameterBytes() const;
  /// Bytes of the .shared arrays that the kernel declares; dynamic ones come on
  /// top.
  uint32_t staticSharedBytes() const;
  /// Bytes of local memory per thread.
  uint32_t localBytes() const;
  /// The product of .maxntid or .reqntid, 1024 without one.
  uint32_t maxThreadsPerBlock() const;
  /// .reqntid, .reqnctapercluster: all 0 without one.
  struct Extent3 {
    uint32_t x = 0, y = 0, z = 0;
  };
  Extent3 requiredThreads() const;
  Extent3 requiredCluster() const;

  const Program &code() const { return *program; }

private:
  std::unique_ptr<Program> program;
};

/// A PTX text, parsed and decoded. Its .global and .const arrays live in a
/// Memory until the module ends.
class Module {
public:
  /// Parses `text` for a device of `computeCapability`, as 80 or 90. On an
  /// error returns nothing and sets `error`: "line 12: ..., in 'add.foo.f32
  /// ...'". A directive or an instruction that the machine does not know is an
  /// error, as is a text for a newer device. Time and memory are bounded by the
  /// text's size, which is at most 64 MiB. `memory` outlives the module.
  static std::unique_ptr<Module> parse(std::string_view text,
                                       uint32_t computeCapability,
                                       Memory &memory, std::string &error);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// The kernel, or null.
  const Kernel *kernel(std::string_view name) const;
  const std::vector<std::unique_ptr<Kernel>> &kernels() const { return list; }
  /// The .global or .const array, if there is one of the name.
  std::optional<Memory::Allocation> variable(std::string_view name) const;

private:
  explicit Module(Memory &memory) : memory(memory) {}
  /// Gives an array its memory; returns an error.
  std::string place(const Declared &variable, uint64_t &address);

  Memory &memory;
  std::vector<std::unique_ptr<Kernel>> list;
  std::map<std::string, Memory::Allocation, std::less<>> variables;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_MODULE_H
