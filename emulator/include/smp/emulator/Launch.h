// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_LAUNCH_H
#define SMP_EMULATOR_LAUNCH_H

#include "smp/emulator/Module.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace smp::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3 &) const = default;
};

/// A parameter that is the address of a buffer: the machine then lets addresses
/// made from it reach these bytes and no others, even inside one allocation.
struct BufferParameter {
  uint32_t parameter = 0; ///< Its number; 8 bytes.
  uint64_t bytes = 0;
  bool writable = true;
};

/// One launch of a kernel.
struct Launch {
  const Kernel *kernel = nullptr;
  Dim3 grid;    ///< Blocks.
  Dim3 block;   ///< Threads per block, at most 1024.
  Dim3 cluster; ///< Blocks per cluster; 1, 1, 1: none.
  uint32_t dynamicSharedBytes = 0;
  /// As Kernel::parameters() says; at least parameterBytes().
  std::span<const std::byte> parameters;
  /// Those that are buffers. An address made from another parameter may reach
  /// every live allocation.
  std::span<const BufferParameter> buffers;
  uint64_t seed = 0; ///< Of the order of blocks and warps.
  /// Of the host, at most one per block; fewer where the system refuses.
  uint32_t threads = 1;
  /// After so many instructions of warps the kernel counts as one without end.
  uint64_t maxWarpInstructions = uint64_t(1) << 36;
};

enum class FaultKind {
  Launch,        ///< The launch itself asks for what is not possible.
  OutOfBounds,   ///< No live allocation, buffer, array or window there.
  Misaligned,    ///< An address that is no multiple of the access's bytes.
  ReadOnly,      ///< A write to a buffer or array that is only read.
  Uninitialised, ///< Bytes, or a register that decides something, never
                 ///< written.
  Race,          ///< Two threads, one of them writing, with nothing between.
  Divergence,    ///< A barrier or shuffle that some lanes do not come to.
  Deadlock,      ///< All threads of a block wait.
  Endless,       ///< More instructions than Launch::maxWarpInstructions.
  Trap,          ///< trap was executed.
  Unsupported,   ///< What could only be seen to be unknown when it ran.
};

/// The kind in lower case, as "out of bounds".
std::string_view toString(FaultKind kind);

/// What is wrong with a kernel or its launch. The launch ended there.
struct Fault {
  FaultKind kind = FaultKind::Launch;
  /// One sentence with everything below.
  std::string message;
  std::string kernel;
  Dim3 block;        ///< %ctaid
  Dim3 thread;       ///< %tid
  uint32_t line = 0; ///< In the PTX text; 0: none.
  std::string instruction;
  /// What the text says by .loc about the line, "file:line" or an op's name.
  std::string location;
};

/// Of one address space, in one direction: instructions of warps, and the
/// distinct sectors of 32 bytes that each of them touches.
struct Traffic {
  uint64_t accesses = 0;
  uint64_t sectors = 0;
};

struct Statistics {
  uint64_t threadInstructions = 0;
  uint64_t warpInstructions = 0;
  Traffic globalReads, globalWrites, sharedReads, sharedWrites, localReads,
      localWrites;
  uint64_t atomics = 0; ///< Instructions of warps.
  /// Extra turns that accesses to shared memory take.
  uint64_t bankConflicts = 0;
  uint64_t barriers = 0; ///< Instructions of warps.
};

struct LaunchResult {
  std::optional<Fault> fault;
  Statistics statistics; ///< Until the fault, if there is one.
};

/// Runs a launch to its end. `memory` is the one that the module was parsed
/// for. Launches at the same time in one Memory are taken one after the other.
LaunchResult run(const Launch &launch, Memory &memory);

} // namespace smp::emulator

#endif // SMP_EMULATOR_LAUNCH_H
