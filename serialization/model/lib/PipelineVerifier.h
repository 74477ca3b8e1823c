// SPDX-License-Identifier: Apache-2.0
// What is proved of a pipeline before a schedule of it is looked at.

#ifndef SMP_MODEL_LIB_PIPELINEVERIFIER_H
#define SMP_MODEL_LIB_PIPELINEVERIFIER_H

#include "smp/model/Schedule.h"

namespace smp {

/// Nothing, or what is wrong.
using Problem = std::optional<std::string>;

inline std::string number(uint64_t value) { return std::to_string(value); }

/// Stages are on partitions that exist, channels go from an earlier stage to a
/// later one that both list them, and none connects an update stage to one that
/// runs per microbatch. O(stages + channels).
Problem checkPipeline(const PipelineShape &pipeline);

} // namespace smp

#endif // SMP_MODEL_LIB_PIPELINEVERIFIER_H
