// SPDX-License-Identifier: Apache-2.0
#include "Barriers.h"
#include "../core/Lanes.h"
#include "../execute/Order.h"
#include <algorithm>

using namespace smp::emulator;

// Everybody has seen what everybody did before; what they do now is later.
static void order(Block &block, const Barrier &barrier) {
  Clock joined{};
  const uint32_t now = takeTime(block);
  for (const Barrier::Arrival &arrival : barrier.arrivals) {
    for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
      joined[warp] = std::max(joined[warp], arrival.clock[warp]);
    if (arrival.waits)
      joined[arrival.warp] = now;
  }
  for (const Barrier::Arrival &arrival : barrier.arrivals) {
    if (!arrival.waits)
      continue;
    Warp &warp = block.warps[arrival.warp];
    for (const Barrier::Arrival &other : barrier.arrivals)
      joinClocks(warp, joined, other.foreign);
    const uint32_t time = takeTime(block);
    for (Accessor *accessor : {&warp.shared, &warp.global}) {
      accessor->clock[warp.index] = now;
      accessor->time = time;
    }
    const auto clock = warp.shared.clock.begin();
    warp.shared.over = *std::min_element(
        clock, clock + static_cast<ptrdiff_t>(block.warps.size()));
  }
}

static void release(Block &block, Barrier &barrier) {
  order(block, barrier);
  for (const Barrier::Arrival &arrival : barrier.arrivals) {
    if (!arrival.waits)
      continue;
    for (Group &group : block.warps[arrival.warp].groups)
      if (group.state == Group::State::Waits && group.mask == arrival.mask) {
        group.state = Group::State::Ready;
        ++group.pc;
      }
  }
  barrier = Barrier();
}

static bool isComplete(const Block &block, const Barrier &barrier) {
  return barrier.arrived >=
         (barrier.expected ? barrier.expected : block.threads);
}

bool smp::emulator::arriveAtBarrier(Warp &warp, const Instruction &instruction,
                                    uint32_t pc, uint32_t mask) {
  Block &block = *warp.block;
  const uint32_t lane = __builtin_ctz(mask);
  const uint32_t number = read<uint32_t>(warp, instruction.ops[0]).at[lane];
  const uint32_t threads = read<uint32_t>(warp, instruction.ops[1]).at[lane];
  ++block.statistics.barriers;
  if (number >= kBarriers || threads % kLanes) {
    report(warp, instruction, lane, FaultKind::OutOfBounds,
           number >= kBarriers ? "barrier " + std::to_string(number) + " of 16"
                               : std::to_string(threads) +
                                     " threads, which is no multiple of 32");
    return true;
  }
  Barrier &barrier = block.barriers[number];
  if (!barrier.arrivals.empty() && barrier.expected != threads) {
    report(warp, instruction, lane, FaultKind::Divergence,
           "barrier " + std::to_string(number) +
               " is waited at with another number of threads, by warp " +
               std::to_string(barrier.arrivals[0].warp));
    return true;
  }
  barrier.expected = threads;
  // A warp that is not full counts as one where threads are counted.
  barrier.arrived += threads && mask == warp.present
                         ? kLanes
                         : static_cast<uint32_t>(__builtin_popcount(mask));
  Clock clock = warp.shared.clock;
  clock[warp.index] = warp.shared.time;
  barrier.arrivals.push_back(
      {warp.index, mask, pc, !instruction.arrives, clock, warp.global.foreign});
  if (instruction.arrives)
    warp.shared.time = warp.global.time = takeTime(block);
  if (isComplete(block, barrier))
    return release(block, barrier), false;
  if (!threads)
    checkBarriersAfterExit(block);
  return !instruction.arrives;
}

void smp::emulator::checkBarriersAfterExit(Block &block) {
  for (uint32_t number = 0; number < kBarriers; ++number) {
    const Barrier &barrier = block.barriers[number];
    if (barrier.arrivals.empty() || barrier.expected || !block.exited ||
        barrier.arrived + block.exited < block.threads)
      continue;
    const Barrier::Arrival &first = barrier.arrivals[0];
    report(block.warps[first.warp], block.run->program.code[first.pc],
           __builtin_ctz(first.mask), FaultKind::Divergence,
           std::to_string(barrier.arrived) + " of " +
               std::to_string(block.threads) + " threads wait at barrier " +
               std::to_string(number) + ", " + std::to_string(block.exited) +
               " have ended without coming to it");
    return;
  }
}
