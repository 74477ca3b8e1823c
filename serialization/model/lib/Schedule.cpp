// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Schedule.h"
#include "SchedulePlayer.h"
#include "SchedulePolicies.h"
#include <algorithm>

namespace smp {

Schedule simpleSchedule(const PipelineShape &pipeline,
                        const ScheduleOptions &options) {
  ForwardsFirst policy(std::max(options.microbatches, 1u));
  return ListScheduler(pipeline, options, policy).schedule();
}

Schedule interleavedSchedule(const PipelineShape &pipeline,
                             const ScheduleOptions &options) {
  BackwardFirst policy(options.active ? options.active
                                      : pipeline.partitions + 2);
  return ListScheduler(pipeline, options, policy).schedule();
}

Schedule zeroBubbleSchedule(const PipelineShape &pipeline,
                            const ScheduleOptions &options) {
  std::vector<uint32_t> most(pipeline.partitions);
  for (const PipelineShape::Stage &stage : pipeline.stages)
    if (stage.phase == Phase::Forward)
      most[stage.partition] +=
          options.active ? options.active : pipeline.partitions;
  ByTurns policy(std::move(most));
  return ListScheduler(pipeline, options, policy).schedule();
}

std::vector<ChannelCost>
transferCosts(const PipelineShape &pipeline,
              std::span<const PipelineShape::Channel> channels,
              double seconds) {
  std::vector<ChannelCost> costs;
  std::vector<uint32_t> touched; // Partitions; the sender's first.
  for (const PipelineShape::Channel &channel : channels) {
    const uint32_t to = pipeline.stages[channel.to].partition;
    if (touched.empty())
      touched.push_back(pipeline.stages[channel.from].partition);
    ChannelCost &cost = costs.emplace_back();
    if (std::find(touched.begin(), touched.end(), to) != touched.end())
      continue;
    cost.send = touched.size() == 1 ? seconds : 0;
    cost.receive = seconds;
    touched.push_back(to);
  }
  return costs;
}

Timeline simulate(const PipelineShape &pipeline, const Schedule &schedule,
                  const std::vector<double> &stageCost,
                  const std::vector<ChannelCost> &channelCost) {
  SchedulePlayer player(pipeline, schedule, stageCost, channelCost);
  player.play();
  return player.takeTimeline();
}

} // namespace smp
