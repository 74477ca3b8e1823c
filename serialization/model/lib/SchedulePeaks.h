// SPDX-License-Identifier: Apache-2.0
// What a played schedule holds at once.

#ifndef SMP_MODEL_LIB_SCHEDULEPEAKS_H
#define SMP_MODEL_LIB_SCHEDULEPEAKS_H

#include "smp/model/Schedule.h"

namespace smp {

/// For each channel the least depth, >= 1, with which what was played with
/// unbounded channels plays the same.
std::vector<uint32_t> depthsOf(const PipelineShape &pipeline,
                               const Timeline &timeline);

} // namespace smp

#endif // SMP_MODEL_LIB_SCHEDULEPEAKS_H
