// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Schedule.h"
#include "ListScheduler.h"
#include "SchedulePlayer.h"
#include <algorithm>

namespace smp {

Schedule forwardOnly(const PipelineShape &pipeline, uint32_t microbatches) {
  Schedule schedule;
  schedule.microbatches = microbatches;
  schedule.actions.resize(pipeline.partitions);
  for (uint32_t m = 0; m < microbatches; ++m)
    for (uint32_t s = 0; s < pipeline.stages.size(); ++s) {
      const PipelineShape::Stage &stage = pipeline.stages[s];
      std::vector<Action> &actions = schedule.actions[stage.partition];
      for (uint32_t channel : stage.receives)
        actions.push_back({ActionKind::Receive, channel, m});
      actions.push_back({ActionKind::Run, s, m});
      for (uint32_t channel : stage.sends)
        actions.push_back({ActionKind::Send, channel, m});
    }
  return schedule;
}

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
