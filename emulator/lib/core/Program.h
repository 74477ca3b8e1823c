// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_CORE_PROGRAM_H
#define SMP_EMULATOR_CORE_PROGRAM_H

#include "../ptx/Syntax.h"
#include "smp/emulator/Module.h"
#include <array>

namespace smp::emulator {

struct Warp;
struct Instruction;

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kAllLanes = ~0u;

/// Where generic addresses of shared and local memory begin. Between them and
/// the addresses of the host are those of buffers: number + 1 in the upper 16
/// bits.
inline constexpr uint64_t kSharedWindow = 0xff01ull << 48;
inline constexpr uint64_t kLocalWindow = 0xff02ull << 48;
inline constexpr uint32_t kTagShift = 48;
inline constexpr uint32_t kMaxBuffers = 0xff00;

/// A register or a constant: 32 lanes at an offset of a bank, and the slot that
/// says which of them have a value.
struct Ref {
  uint32_t offset = 0; ///< The upper bit: in the bank of constants.
  uint32_t slot = 0;   ///< 0: all of them.
};
inline constexpr uint32_t kConstantBank = 1u << 31;
inline constexpr Ref kNowhere{~0u, ~0u};
inline bool isNowhere(Ref ref) { return ref.offset == ~0u; }

/// Does what an instruction says for the lanes of the mask.
using Handler = void (*)(Warp &, const Instruction &, uint32_t mask);

/// What an instruction does to the order of instructions.
enum class Flow : uint8_t {
  Plain,
  Branch,        ///< To `target`.
  BranchIndexed, ///< By ops[0] through table `target`.
  Exit,
  Trap,
  Barrier,  ///< Of a block: ops[0] its number, ops[1] how many threads.
  WarpSync, ///< The lanes of `members` meet, then the handler runs.
};

struct Instruction {
  Handler handler = nullptr;
  std::array<Ref, 6> ops{};
  int64_t immediate = 0; ///< Added to an address.
  Ref second = kNowhere; ///< A second result, behind |.
  Ref members;           ///< Of a WarpSync: the mask of lanes.
  Ref guard;
  uint32_t target = 0;
  uint32_t source = 0; ///< Index into Program::sources.
  /// Its number among those that access memory, from 1; 0: it has none.
  uint32_t access = 0;
  Flow flow = Flow::Plain;
  bool guarded = false;
  bool negated = false; ///< The guard.
  bool aligned = false; ///< A barrier that whole warps come to.
  bool arrives = false; ///< A barrier that is not waited at.
  Space space = Space::Generic;
  uint8_t bytes = 0;         ///< Of an element in memory.
  uint8_t count = 1;         ///< Elements of a vector.
  uint8_t width = 0;         ///< Of a register that is loaded.
  bool shortAddress = false; ///< An address of 4 bytes.
  bool isSigned = false;     ///< What is loaded is extended by its sign.
  bool strong = false; ///< .relaxed, .volatile and above: no race with atomics.
  bool acquires = false;
  bool releases = false;
};

struct Source {
  uint32_t line = 0;
  std::string text; ///< The beginning, if it is long.
  SourceLocation location;
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Lane,
  Warp,
  Nwarp,
  MaskEq,
  MaskLe,
  MaskLt,
  MaskGe,
  MaskGt,
  DynamicSharedBytes,
  TotalSharedBytes,
};

/// A special register that the program reads, and where it is kept.
struct SpecialUse {
  Special which = Special::TidX;
  Ref ref;
  bool wide = false; ///< Read as 64 bits.
};

/// An array of shared memory. Its addresses have its number above the bits that
/// shared memory needs, so that what is computed from one is held to its array.
struct SharedArray {
  std::string name;
  uint32_t offset = 0; ///< A multiple of its alignment, and of no more.
  uint32_t bytes = 0;
};
inline constexpr uint32_t kSharedShift = 20;
inline constexpr uint32_t kMaxSharedArrays = 1u << (32 - kSharedShift);
inline constexpr uint64_t kSharedOffset = (uint64_t(1) << kSharedShift) - 1;
/// Where static memory and the beginning of dynamic memory end at the latest.
inline constexpr uint64_t kMaxSharedLayout = 256 * 1024;

/// A kernel, decoded.
struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t staticSharedBytes = 0;
  /// Static and dynamic arrays as a GPU lays them out, without the dynamic
  /// ones' bytes.
  uint32_t dynamicSharedBase = 0;
  /// By number, from 1: static ones, then those of dynamic memory.
  std::vector<SharedArray> sharedArrays{1};
  uint32_t firstDynamic = 1;
  uint32_t maxSharedBytes = 0; ///< Of both, as the device has it.
  uint32_t localBytes = 0;
  uint32_t registerBytes = 0;
  uint32_t slots = 1;
  uint32_t accesses = 0; ///< Instructions that access memory.
  uint32_t scratch = 0; ///< The offset of a register that no instruction names.
  std::array<uint32_t, 3> maxThreads{}, requiredThreads{}, requiredCluster{};
  std::vector<Instruction> code;
  std::vector<std::vector<uint32_t>> tables;
  std::vector<Source> sources;
  std::vector<SpecialUse> specials;
  /// Lanes of constants; a multiple of 64 bytes.
  std::vector<std::array<uint64_t, 8>> constants;
  /// Those of the module's arrays that it names and that are only read.
  std::vector<Memory::Allocation> readOnly;
};

/// Bytes from a lane's local memory to the next lane's.
inline uint64_t localStride(const Program &program) {
  return (uint64_t(program.localBytes) + 15) / 16 * 16;
}

} // namespace smp::emulator

#endif // SMP_EMULATOR_CORE_PROGRAM_H
