// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_CORE_WARP_H
#define SMP_EMULATOR_CORE_WARP_H

#include "../memory/Races.h"
#include "Program.h"

namespace smp::emulator {

struct Block;

/// Lanes of a warp that are at the same instruction.
struct Group {
  enum class State : uint8_t {
    Ready,
    Gathers, ///< Waits for other lanes of the warp to come to the same place.
    Waits,   ///< Came to a barrier of the block.
  };
  uint32_t pc = 0;
  uint32_t mask = 0;
  State state = State::Ready;
};

/// A copy that cp.async has begun: done when it is waited for.
struct AsyncCopy {
  uint32_t lane = 0;
  const Instruction *instruction = nullptr;
  uint64_t to = 0; ///< In shared memory.
  uint8_t bytes = 0;
  std::array<std::byte, 16> value{};
};

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;
  uint32_t present = 0; ///< Lanes that there are.
  uint32_t live = 0;    ///< Those of them that have not ended.
  /// Registers, constants.
  std::array<std::byte *, 2> bank{};
  /// Per slot, the lanes that have a value.
  std::vector<uint32_t> known;
  std::vector<Group> groups;
  /// Instructions since groups last met, while several could run.
  uint32_t apart = 0;
  /// Local memory: the bytes of lane 0, then those of lane 1.
  std::byte *local = nullptr;
  uint8_t *localState = nullptr;
  /// Who it is to shared and to global memory.
  Accessor shared, global;
  uint32_t carry = 0; ///< Of add.cc, a bit per lane.
  /// Of cp.async: the copies of the group that is open, and of closed ones.
  std::vector<AsyncCopy> openCopies;
  std::vector<std::vector<AsyncCopy>> closedCopies;
  /// What a fence has made visible to those who see a later atomic of this
  /// warp.
  std::shared_ptr<const ForeignClocks> released;
  /// What atomics have seen, to be over after the next fence.
  std::shared_ptr<const ForeignClocks> seen;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_CORE_WARP_H
