// SPDX-License-Identifier: Apache-2.0
// The costs that schedules are planned with.

#ifndef SMP_MODEL_LIB_SCHEDULECOSTS_H
#define SMP_MODEL_LIB_SCHEDULECOSTS_H

#include "smp/model/Schedule.h"
#include <algorithm>

namespace smp {

/// One cost per stage, each above 0, so that what starts at the end of a run
/// never started before it. Given: empty or one per stage.
inline std::vector<double> stageCostsOf(const PipelineShape &pipeline,
                                        const std::vector<double> &given) {
  constexpr double kLeastPart = 1e-6;
  if (given.empty())
    return std::vector<double>(pipeline.stages.size(), 1);
  const double greatest = *std::max_element(given.begin(), given.end());
  const double least = greatest > 0 ? greatest * kLeastPart : 1;
  std::vector<double> costs;
  for (double cost : given)
    costs.push_back(std::max(least, cost));
  return costs;
}

/// One cost per channel, none below 0. Given: empty or one per channel.
inline std::vector<ChannelCost>
channelCostsOf(const PipelineShape &pipeline,
               const std::vector<ChannelCost> &given) {
  std::vector<ChannelCost> costs(pipeline.channels.size());
  for (size_t c = 0; c < given.size(); ++c)
    costs[c] = {std::max(0.0, given[c].send), std::max(0.0, given[c].latency),
                std::max(0.0, given[c].receive)};
  return costs;
}

/// What receives of a stage take before its run, all together.
inline double receiveSeconds(const PipelineShape::Stage &stage,
                             const std::vector<ChannelCost> &costs) {
  double seconds = 0;
  for (uint32_t channel : stage.receives)
    seconds += costs[channel].receive;
  return seconds;
}

/// What sends of a stage take after its run, all together.
inline double sendSeconds(const PipelineShape::Stage &stage,
                          const std::vector<ChannelCost> &costs) {
  double seconds = 0;
  for (uint32_t channel : stage.sends)
    seconds += costs[channel].send;
  return seconds;
}

} // namespace smp

#endif // SMP_MODEL_LIB_SCHEDULECOSTS_H
