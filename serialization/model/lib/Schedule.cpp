// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Schedule.h"
#include "ListScheduler.h"
#include "SchedulePlayer.h"
#include <algorithm>

namespace smp {

Schedule simpleSchedule(const PipelineShape &pipeline,
                        const ScheduleOptions &options) {
  const uint32_t all = std::max(options.microbatches, 1u);
  return ListScheduler(pipeline, options, SchedulePolicy::ForwardsFirst, all)
      .schedule();
}

Schedule interleavedSchedule(const PipelineShape &pipeline,
                             const ScheduleOptions &options) {
  const uint32_t active =
      options.active ? options.active : pipeline.partitions + 2;
  return ListScheduler(pipeline, options, SchedulePolicy::BackwardFirst, active)
      .schedule();
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
