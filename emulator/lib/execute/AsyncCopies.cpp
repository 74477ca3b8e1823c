// SPDX-License-Identifier: Apache-2.0
// cp.async: what is copied is in shared memory only when it has been waited
// for, so that a wait that is missing is seen.
#include "../core/Lanes.h"
#include "../memory/Relaxed.h"
#include "Access.h"
#include "MemoryForms.h"

using namespace smp::emulator;

namespace {

void copy(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  Lanes<uint32_t> taken;
  for (uint32_t &count : taken.at)
    count = instruction.bytes;
  if (!isNowhere(ops[1]))
    taken = read<uint32_t>(warp, ops[1]);
  uint32_t reading = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane & 1) && taken.at[lane])
      reading |= 1u << lane;
  Access access;
  if (reading && !locate(warp, instruction, reading, Touch::Read, access))
    return;
  const Lanes<uint64_t> to = read<uint64_t>(warp, ops[0]);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const uint32_t lane = __builtin_ctz(lanes);
    AsyncCopy made;
    made.lane = lane;
    made.instruction = &instruction;
    made.to = to.at[lane] + instruction.target;
    made.bytes = instruction.bytes;
    if (reading >> lane & 1)
      copyOutRelaxed(made.value.data(),
                     reinterpret_cast<const void *>(access.at[lane]),
                     std::min<uint32_t>(taken.at[lane], instruction.bytes));
    warp.openCopies.push_back(made);
  }
}

void commit(Warp &warp, const Instruction &, uint32_t) {
  warp.closedCopies.push_back(std::move(warp.openCopies));
  warp.openCopies.clear();
}

// The write to shared memory, as by a store of the lane now.
void finish(Warp &warp, const AsyncCopy &copy) {
  Instruction store = *copy.instruction;
  Lanes<uint64_t> to{};
  to.at[copy.lane] = copy.to;
  store.space = Space::Shared;
  store.immediate = 0;
  store.access = 0;
  store.ops[4] = {warp.block->run->program.scratch, 0};
  std::memcpy(const_cast<std::byte *>(place(warp, store.ops[4])), to.at,
              sizeof(to.at));
  Access access;
  if (locate(warp, store, 1u << copy.lane, Touch::Write, access))
    std::memcpy(reinterpret_cast<void *>(access.at[copy.lane]),
                copy.value.data(), copy.bytes);
}

void wait(Warp &warp, const Instruction &instruction, uint32_t) {
  const bool all = instruction.immediate < 0;
  const size_t keep = all ? 0 : static_cast<size_t>(instruction.immediate);
  while (warp.closedCopies.size() > keep) {
    for (const AsyncCopy &copy : warp.closedCopies.front())
      finish(warp, copy);
    warp.closedCopies.erase(warp.closedCopies.begin());
  }
  if (!all)
    return;
  for (const AsyncCopy &copy : warp.openCopies)
    finish(warp, copy);
  warp.openCopies.clear();
}

} // namespace

Handler smp::emulator::asyncCopyHandler() { return copy; }
Handler smp::emulator::commitCopiesHandler() { return commit; }
Handler smp::emulator::waitCopiesHandler() { return wait; }
