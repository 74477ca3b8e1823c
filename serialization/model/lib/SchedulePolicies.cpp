// SPDX-License-Identifier: Apache-2.0
// ByTurns gives the schedules of the zero-bubble family. A chain of 4
// partitions whose forward (0-9), backward (letters) and weight (-) runs take
// 1 each, 8 microbatches, each partition holding at most 4 and 7:
//
//   0123   a-4b-5c-6d-7e-f-g-h-      0123456a-7b-c-d-e-f-g-h-
//    0123 a- b4-c5-d6-e7f-g-h--       01234a5b6-c7d-e-f-g-h---
//     012a3-bc-4d-5e-6f-7g-h--         012a3b4c5d6-e7f-g-h-----
//      0a1b2c3-d4-e5-f6-g7h----         0a1b2c3d4e5f6-g7h-------
//
// With 4, as many as 1F1B holds, a partition waits 3 at most between its first
// and its last run, a third of what it does where weight runs are part of
// backward ones; with 7 it never waits.
#include "SchedulePolicies.h"
#include <algorithm>
#include <array>
#include <tuple>

namespace smp {

//===----------------------------------------------------------------------===//
// BackwardFirst, ForwardsFirst
//===----------------------------------------------------------------------===//

std::optional<uint32_t> BackwardFirst::choose(const PlayState &state,
                                              uint32_t partition) {
  auto key = [&](uint32_t stage) {
    return std::tuple(state.phaseOf(stage) == Phase::Forward, state.next[stage],
                      stage);
  };
  std::optional<uint32_t> best;
  for (uint32_t stage : state.stagesOf[partition])
    if (state.isReady(stage) && mayStart(state, stage) &&
        (!best || key(stage) < key(*best)))
      best = stage;
  return best;
}

bool BackwardFirst::mayStart(const PlayState &state, uint32_t stage) const {
  return state.next[stage] - state.finished < active;
}

bool ForwardsFirst::mayStart(const PlayState &state, uint32_t stage) const {
  return BackwardFirst::mayStart(state, stage) &&
         (state.phaseOf(stage) == Phase::Forward ||
          state.forwardsLeft[state.pipeline.stages[stage].partition] == 0);
}

//===----------------------------------------------------------------------===//
// ByTurns
//===----------------------------------------------------------------------===//

/// Runs of a forward stage that are not held any more.
static uint32_t countReleased(const PlayState &state, uint32_t stage) {
  uint32_t released = state.ended[stage];
  for (uint32_t channel : state.pipeline.stages[stage].sends)
    released =
        std::min(released, state.ended[state.pipeline.channels[channel].to]);
  return released;
}

template <typename Visit>
static void forEachForward(const PlayState &state, uint32_t partition,
                           Visit visit) {
  for (uint32_t stage : state.stagesOf[partition])
    if (state.phaseOf(stage) == Phase::Forward)
      visit(stage);
}

uint32_t ByTurns::countHeld(const PlayState &state, uint32_t partition) const {
  uint32_t held = 0;
  forEachForward(state, partition, [&](uint32_t stage) {
    held += state.next[stage] - countReleased(state, stage);
  });
  return held;
}

/// Of the first microbatch that the partition has not released, all forward
/// runs may start, and for them place is kept: so it goes on until it is done,
/// and nobody waits for ever.
bool ByTurns::mayStart(const PlayState &state, uint32_t stage) const {
  if (state.phaseOf(stage) != Phase::Forward)
    return true;
  const uint32_t partition = state.pipeline.stages[stage].partition;
  uint32_t first = state.microbatches, needed = 0;
  forEachForward(state, partition, [&](uint32_t forward) {
    first = std::min(first, countReleased(state, forward));
  });
  if (state.next[stage] == first)
    return true;
  forEachForward(state, partition, [&](uint32_t forward) {
    needed += state.next[forward] <= first;
  });
  return countHeld(state, partition) + needed < most[partition];
}

std::optional<uint32_t> ByTurns::choose(const PlayState &state,
                                        uint32_t partition) {
  // The lowest microbatch of each phase, and of that the first stage.
  std::array<std::optional<uint32_t>, 3> best;
  for (uint32_t stage : state.stagesOf[partition]) {
    std::optional<uint32_t> &of = best[size_t(state.phaseOf(stage))];
    if (state.isReady(stage) && mayStart(state, stage) &&
        (!of || state.next[stage] < state.next[*of]))
      of = stage;
  }
  const auto &[forward, backward, weight] = best;
  const bool isBackwardNext = isBackwardsTurn[partition];
  const bool isFull = state.forwardsLeft[partition] > 0 &&
                      countHeld(state, partition) >= most[partition];
  if (forward && !isBackwardNext) {
    isBackwardsTurn[partition] = true;
    return forward;
  }
  if (weight && isFull)
    return weight;
  const std::optional<uint32_t> chosen =
      isBackwardNext && !backward ? forward : backward;
  if (!chosen)
    return weight;
  isBackwardsTurn[partition] = chosen == forward;
  return chosen;
}

} // namespace smp
