// SPDX-License-Identifier: Apache-2.0
// The clock of a play: events are ends of runs and arrivals of tensors. At each
// time, every partition that is idle begins the best of the runs that can
// start; the order in which it begins them is its list of actions.
//
// Forward stages F0 and F1 on partitions 0 and 1 take 1 each, their backward
// stages B1 and B0 take 2, there are 2 microbatches and transfers are free:
//
//   time          0    1    2    3    4    5    6    7    8
//   partition 0   F0:0 F0:1 .    .    B0:0 ---- .    B0:1 ----
//   partition 1   .    F1:0 B1:0 ---- F1:1 B1:1 ---- .    .
//
// At 2, partition 1 could begin F1:1 or B1:0: backward work goes first, since
// it gives memory back. ForwardsFirst would have it begin F1:1.
#include "ListScheduler.h"
#include "ScheduleCosts.h"
#include <algorithm>
#include <tuple>

namespace smp {

ListScheduler::ListScheduler(const PipelineShape &pipeline,
                             const ScheduleOptions &options,
                             SchedulePolicy policy, uint32_t active)
    : pipeline(pipeline), policy(policy), active(active),
      stageCosts(stageCostsOf(pipeline, options.stageCosts)),
      channelCosts(channelCostsOf(pipeline, options.channelCosts)),
      partitions(pipeline.partitions), next(pipeline.stages.size()),
      arrived(pipeline.channels.size()) {
  result.microbatches = options.microbatches;
  result.actions.resize(pipeline.partitions);
  uint32_t stagesPerMicrobatch = 0;
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineShape::Stage &stage = pipeline.stages[s];
    if (!stage.isPerMicrobatch())
      continue;
    ++stagesPerMicrobatch;
    partitions[stage.partition].stages.push_back(s);
    if (stage.phase == Phase::Forward)
      partitions[stage.partition].forwardsLeft += options.microbatches;
  }
  runsLeft.assign(options.microbatches, stagesPerMicrobatch);
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
      ++arrived[event.index];
    else
      endRun(event.index);
  }
}

/// Each stage does its microbatches in order, so they finish in order.
void ListScheduler::endRun(uint32_t stage) {
  partitions[pipeline.stages[stage].partition].isBusy = false;
  if (--runsLeft[next[stage] - 1] == 0)
    ++finished;
}

void ListScheduler::startRuns(double now) {
  for (uint32_t p = 0; p < partitions.size(); ++p)
    if (!partitions[p].isBusy)
      if (std::optional<uint32_t> stage = bestOf(p))
        startRun(*stage, now);
}

/// The partition is busy with receives, the run and sends, in this order.
void ListScheduler::startRun(uint32_t s, double now) {
  const PipelineShape::Stage &stage = pipeline.stages[s];
  PartitionState &partition = partitions[stage.partition];
  partition.isBusy = true;
  if (stage.phase == Phase::Forward)
    --partition.forwardsLeft;
  list(s);
  now += receiveSeconds(stage, channelCosts) + stageCosts[s];
  for (uint32_t channel : stage.sends) {
    now += channelCosts[channel].send;
    events.push(
        {now + channelCosts[channel].latency, /*isArrival=*/true, channel});
  }
  events.push({now, /*isArrival=*/false, s});
}

std::optional<uint32_t> ListScheduler::bestOf(uint32_t partition) const {
  std::optional<uint32_t> best;
  for (uint32_t stage : partitions[partition].stages)
    if (canStart(stage) && (!best || isBefore(stage, *best)))
      best = stage;
  return best;
}

bool ListScheduler::canStart(uint32_t s) const {
  const PipelineShape::Stage &stage = pipeline.stages[s];
  if (next[s] == result.microbatches || next[s] - finished >= active)
    return false;
  if (policy == SchedulePolicy::ForwardsFirst &&
      stage.phase == Phase::Backward &&
      partitions[stage.partition].forwardsLeft > 0)
    return false;
  return std::all_of(
      stage.receives.begin(), stage.receives.end(),
      [&](uint32_t channel) { return arrived[channel] > next[s]; });
}

bool ListScheduler::isBefore(uint32_t a, uint32_t b) const {
  auto key = [&](uint32_t stage) {
    bool isBackward = pipeline.stages[stage].phase == Phase::Backward;
    return std::tuple(!isBackward, next[stage], stage);
  };
  return key(a) < key(b);
}

void ListScheduler::list(uint32_t s) {
  const PipelineShape::Stage &stage = pipeline.stages[s];
  std::vector<Action> &actions = result.actions[stage.partition];
  const uint32_t microbatch = next[s]++;
  for (uint32_t channel : stage.receives)
    actions.push_back({ActionKind::Receive, channel, microbatch});
  actions.push_back({ActionKind::Run, s, microbatch});
  for (uint32_t channel : stage.sends)
    actions.push_back({ActionKind::Send, channel, microbatch});
}

/// Runs that the policy never lets start, then the update stages; stage by
/// stage, which is an order that respects the channels.
void ListScheduler::listLeftOvers() {
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    while (pipeline.stages[s].isPerMicrobatch() &&
           next[s] < result.microbatches)
      list(s);
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    if (!pipeline.stages[s].isPerMicrobatch())
      list(s);
}

} // namespace smp
