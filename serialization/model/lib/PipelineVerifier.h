// SPDX-License-Identifier: Apache-2.0
// What is proved of a pipeline before a schedule of it is looked at.

#ifndef SMP_MODEL_LIB_PIPELINEVERIFIER_H
#define SMP_MODEL_LIB_PIPELINEVERIFIER_H

#include "Problem.h"
#include "smp/model/Schedule.h"

namespace smp {

/// Stages are on partitions that exist, channels go from an earlier stage to a
/// later one that both list them, and none connects an update stage to one that
/// runs per microbatch. O(stages + channels).
Problem checkPipeline(const PipelineShape &pipeline);

} // namespace smp

#endif // SMP_MODEL_LIB_PIPELINEVERIFIER_H
