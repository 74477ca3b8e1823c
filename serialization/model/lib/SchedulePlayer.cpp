// SPDX-License-Identifier: Apache-2.0
#include "SchedulePlayer.h"
#include <algorithm>

namespace smp {

SchedulePlayer::SchedulePlayer(const PipelineShape &pipeline,
                               const Schedule &schedule,
                               const std::vector<double> &stageCost,
                               const std::vector<ChannelCost> &channelCost)
    : pipeline(pipeline), schedule(schedule), stageCost(stageCost),
      channelCost(channelCost), states(schedule.actions.size()),
      channels(pipeline.channels.size()) {
  timeline.partitions.resize(schedule.actions.size());
}

bool SchedulePlayer::play() {
  for (uint32_t p = uint32_t(states.size()); p-- > 0;)
    ready.push_back(p);
  while (!ready.empty()) {
    uint32_t partition = ready.back();
    ready.pop_back();
    advance(partition);
  }
  for (uint32_t p = 0; p < states.size(); ++p)
    if (!isDone(p))
      return false;
  return true;
}

void SchedulePlayer::advance(uint32_t partition) {
  PartitionState &state = states[partition];
  for (; !isDone(partition); ++state.next) {
    const Action &action = schedule.actions[partition][state.next];
    bool done = true;
    switch (action.kind) {
    case ActionKind::Run:
      done = tryRun(partition, action);
      break;
    case ActionKind::Send:
      send(partition, action);
      break;
    case ActionKind::Receive:
      done = tryReceive(partition, action);
      break;
    }
    if (!done) {
      state.stuck = true;
      return;
    }
  }
}

bool SchedulePlayer::tryRun(uint32_t partition, const Action &action) {
  PartitionState &state = states[partition];
  const PipelineShape::Stage &stage = pipeline.stages[action.index];
  // Places are taken one by one and kept while waiting for the next: nobody
  // else could take them, and no channel is asked twice.
  for (; state.placesTaken < stage.sends.size(); ++state.placesTaken) {
    uint32_t index = stage.sends[state.placesTaken];
    ChannelState &channel = channels[index];
    size_t depth = pipeline.channels[index].depth;
    if (channel.placesTaken >= depth) {
      size_t freed = channel.placesTaken - depth;
      if (freed >= channel.frees.size()) {
        state.wait = {index, /*forPlace=*/true};
        return false;
      }
      state.now = std::max(state.now, channel.frees[freed]);
    }
    ++channel.placesTaken;
  }
  state.placesTaken = 0;
  record(partition, action, stageCost[action.index]);
  for (uint32_t index : stage.receives) {
    channels[index].frees.push_back(state.now);
    wake(pipeline.stages[pipeline.channels[index].from].partition,
         {index, /*forPlace=*/true});
  }
  return true;
}

void SchedulePlayer::send(uint32_t partition, const Action &action) {
  const ChannelCost &cost = channelCost[action.index];
  record(partition, action, cost.send);
  channels[action.index].arrivals.push_back(states[partition].now +
                                            cost.latency);
  wake(pipeline.stages[pipeline.channels[action.index].to].partition,
       {action.index, /*forPlace=*/false});
}

bool SchedulePlayer::tryReceive(uint32_t partition, const Action &action) {
  PartitionState &state = states[partition];
  ChannelState &channel = channels[action.index];
  if (channel.received == channel.arrivals.size()) {
    state.wait = {action.index, /*forPlace=*/false};
    return false;
  }
  record(partition, action, channelCost[action.index].receive,
         channel.arrivals[channel.received++]);
  return true;
}

void SchedulePlayer::wake(uint32_t partition, Wait changed) {
  PartitionState &state = states[partition];
  if (!state.stuck || state.wait.channel != changed.channel ||
      state.wait.forPlace != changed.forPlace)
    return;
  state.stuck = false;
  ready.push_back(partition);
}

void SchedulePlayer::record(uint32_t partition, const Action &action,
                            double seconds, double begin) {
  double &now = states[partition].now;
  const double start = now;
  begin = std::max(begin, start);
  now = begin + seconds;
  timeline.partitions[partition].push_back({action, start, now, begin - start});
  timeline.makespan = std::max(timeline.makespan, now);
}

} // namespace smp
