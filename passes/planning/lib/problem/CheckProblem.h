// SPDX-License-Identifier: Apache-2.0
// Whether a partition problem is a question at all.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_CHECKPROBLEM_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_CHECKPROBLEM_H

#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// All that PartitionProblem::check() says, but for pins.
std::optional<PartitionConflict> checkFigures(const PartitionProblem &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_CHECKPROBLEM_H
