// SPDX-License-Identifier: Apache-2.0
// In which order training works, as far as plans depend on it.

#ifndef SMP_PASSES_PLANNING_PIPELINECHOICE_H
#define SMP_PASSES_PLANNING_PIPELINECHOICE_H

#include "smp/model/TrainingSchedule.h"

namespace smp::passes {

using smp::PipelineChoice;

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PIPELINECHOICE_H
