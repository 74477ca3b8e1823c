// SPDX-License-Identifier: Apache-2.0
#include "Order.h"
#include "../core/Lanes.h"
#include "MemoryForms.h"
#include <algorithm>

using namespace smp::emulator;

using Shared = std::shared_ptr<const ForeignClocks>;

static void raise(Clock &clock, const Clock &by) {
  for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
    clock[warp] = std::max(clock[warp], by[warp]);
}

static Shared united(const Shared &a, const Shared &b) {
  if (!a || !b || a == b)
    return a ? a : b;
  auto all = std::make_shared<ForeignClocks>(*a);
  for (const auto &[block, clock] : *b)
    raise((*all)[block], clock);
  return all;
}

void smp::emulator::joinClocks(Warp &to, const Clock &clock,
                               const Shared &foreign) {
  const Shared all = united(to.global.foreign, foreign);
  for (Accessor *accessor : {&to.shared, &to.global}) {
    // Of its own lanes a warp knows best.
    const uint32_t own = accessor->clock[to.index];
    raise(accessor->clock, clock);
    accessor->clock[to.index] = own;
    accessor->foreign = all;
  }
}

// The warp's own clock among those of other blocks, with its last access.
static Shared everythingDone(const Warp &warp) {
  auto all = warp.global.foreign
                 ? std::make_shared<ForeignClocks>(*warp.global.foreign)
                 : std::make_shared<ForeignClocks>();
  Clock own = warp.global.clock;
  own[warp.index] = warp.global.time;
  raise((*all)[warp.block->index], own);
  return all;
}

static void see(Warp &warp, const Shared &what) {
  const auto own = what->find(warp.block->index);
  joinClocks(warp, own == what->end() ? Clock{} : own->second, what);
}

void smp::emulator::orderFence(Warp &warp) {
  if (warp.seen)
    see(warp, warp.seen);
  warp.seen = nullptr;
  warp.released = everythingDone(warp);
  const uint32_t time = takeTime(*warp.block);
  // Lanes stay unordered among themselves: the clock of the warp is as it was.
  warp.shared.time = warp.global.time = time;
}

// Of shared memory the key is in a window of the block's own.
static uint64_t keyOf(const Warp &warp, const Access &access, uint32_t lane) {
  return access.at[lane] ^ (access.space == Space::Shared
                                ? uint64_t(warp.block->index + 1) << kTagShift
                                : 0);
}

void smp::emulator::orderLoad(Warp &warp, const Instruction &instruction,
                              const Access &access) {
  Run &run = *warp.block->run;
  std::lock_guard<std::mutex> lock(run.mutex);
  if (run.published.empty())
    return;
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const auto found =
        run.published.find(keyOf(warp, access, __builtin_ctz(mask)));
    if (found == run.published.end())
      continue;
    if (instruction.acquires)
      see(warp, found->second);
    else
      warp.seen = united(warp.seen, found->second);
  }
}

void smp::emulator::orderStore(Warp &warp, const Instruction &instruction,
                               const Access &access) {
  if (instruction.releases)
    orderFence(warp);
  if (!warp.released)
    return;
  Run &run = *warp.block->run;
  std::lock_guard<std::mutex> lock(run.mutex);
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    Shared &at = run.published[keyOf(warp, access, __builtin_ctz(mask))];
    at = united(at, warp.released);
  }
}

void smp::emulator::orderAtomic(Warp &warp, const Instruction &instruction,
                                const Access &access) {
  orderLoad(warp, instruction, access);
  orderStore(warp, instruction, access);
}

static void fence(Warp &warp, const Instruction &, uint32_t) {
  orderFence(warp);
}

Handler smp::emulator::fenceHandler() { return fence; }
