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

Timeline simulate(const PipelineShape &pipeline, const Schedule &schedule,
                  const std::vector<double> &stageCost,
                  const std::vector<double> &channelCost) {
  SchedulePlayer player(pipeline, schedule, stageCost, channelCost);
  player.play();
  return player.takeTimeline();
}

} // namespace smp
