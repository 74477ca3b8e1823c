// SPDX-License-Identifier: Apache-2.0
// The clock of a play: events are ends of runs and arrivals of tensors. At each
// time, every partition that is idle begins the run that the policy chooses;
// the order in which it begins them is its list of actions.
//
// Forward stages F0 and F1 on partitions 0 and 1 take 1 each, their backward
// stages B1 and B0 take 2, there are 2 microbatches and transfers are free:
//
//   time          0    1    2    3    4    5    6    7    8
//   partition 0   F0:0 F0:1 .    .    B0:0 ---- .    B0:1 ----
//   partition 1   .    F1:0 B1:0 ---- F1:1 B1:1 ---- .    .
//
// At 2, partition 1 could begin F1:1 or B1:0: BackwardFirst begins B1:0, since
// that gives memory back; ForwardsFirst would begin F1:1.
#include "ListScheduler.h"
#include "ScheduleCosts.h"
#include <algorithm>

namespace smp {

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

PlayState::PlayState(const PipelineShape &pipeline, uint32_t microbatches)
    : pipeline(pipeline), microbatches(microbatches),
      stagesOf(pipeline.partitions), forwardsLeft(pipeline.partitions),
      next(pipeline.stages.size()), ended(pipeline.stages.size()),
      arrived(pipeline.channels.size()) {
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineShape::Stage &stage = pipeline.stages[s];
    if (!stage.isPerMicrobatch())
      continue;
    stagesOf[stage.partition].push_back(s);
    if (stage.phase == Phase::Forward)
      forwardsLeft[stage.partition] += microbatches;
  }
}

bool PlayState::isReady(uint32_t s) const {
  const std::vector<uint32_t> &receives = pipeline.stages[s].receives;
  return next[s] < microbatches &&
         std::all_of(
             receives.begin(), receives.end(),
             [&](uint32_t channel) { return arrived[channel] > next[s]; });
}

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

ListScheduler::ListScheduler(const PipelineShape &pipeline,
                             const ScheduleOptions &options,
                             SchedulePolicy &policy)
    : pipeline(pipeline), policy(policy),
      stageCosts(stageCostsOf(pipeline, options.stageCosts)),
      channelCosts(channelCostsOf(pipeline, options.channelCosts)),
      state(pipeline, options.microbatches), isBusy(pipeline.partitions) {
  result.microbatches = options.microbatches;
  result.actions.resize(pipeline.partitions);
  size_t stagesPerMicrobatch = 0;
  for (const std::vector<uint32_t> &stages : state.stagesOf)
    stagesPerMicrobatch += stages.size();
  runsLeft.assign(options.microbatches, uint32_t(stagesPerMicrobatch));
}

Schedule ListScheduler::schedule() {
  startRuns(0);
  while (!events.empty()) {
    const double now = events.top().time;
    takeEvents(now);
    startRuns(now);
  }
  listLeftOvers();
  return std::move(result);
}

/// All that becomes known at one time is known to every choice at that time.
void ListScheduler::takeEvents(double now) {
  while (!events.empty() && events.top().time == now) {
    const Event event = events.top();
    events.pop();
    if (event.isArrival)
      ++state.arrived[event.index];
    else
      endRun(event.index);
  }
}

/// Each stage does its microbatches in order, so they finish in order.
void ListScheduler::endRun(uint32_t stage) {
  isBusy[pipeline.stages[stage].partition] = false;
  if (--runsLeft[state.ended[stage]++] == 0)
    ++state.finished;
}

void ListScheduler::startRuns(double now) {
  for (uint32_t p = 0; p < isBusy.size(); ++p)
    if (!isBusy[p])
      if (std::optional<uint32_t> stage = policy.choose(state, p))
        startRun(*stage, now);
}

/// The partition is busy with receives, the run and sends, in this order.
void ListScheduler::startRun(uint32_t s, double now) {
  const PipelineShape::Stage &stage = pipeline.stages[s];
  isBusy[stage.partition] = true;
  if (stage.phase == Phase::Forward)
    --state.forwardsLeft[stage.partition];
  list(s);
  now += receiveSeconds(stage, channelCosts) + stageCosts[s];
  for (uint32_t channel : stage.sends) {
    now += channelCosts[channel].send;
    events.push(
        {now + channelCosts[channel].latency, /*isArrival=*/true, channel});
  }
  events.push({now, /*isArrival=*/false, s});
}

//===----------------------------------------------------------------------===//
// The lists
//===----------------------------------------------------------------------===//

void listRun(const PipelineShape &pipeline, uint32_t s, uint32_t microbatch,
             std::vector<Action> &actions) {
  for (uint32_t channel : pipeline.stages[s].receives)
    actions.push_back({ActionKind::Receive, channel, microbatch});
  actions.push_back({ActionKind::Run, s, microbatch});
  for (uint32_t channel : pipeline.stages[s].sends)
    actions.push_back({ActionKind::Send, channel, microbatch});
}

void ListScheduler::list(uint32_t s) {
  listRun(pipeline, s, state.next[s]++,
          result.actions[pipeline.stages[s].partition]);
}

/// Runs that the policy never lets start, then the update stages; stage by
/// stage, which is an order that respects the channels.
void ListScheduler::listLeftOvers() {
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    while (pipeline.stages[s].isPerMicrobatch() &&
           state.next[s] < result.microbatches)
      list(s);
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    if (!pipeline.stages[s].isPerMicrobatch())
      list(s);
}

} // namespace smp
