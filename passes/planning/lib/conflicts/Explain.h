// SPDX-License-Identifier: Apache-2.0
// Why there is no answer.

#ifndef SMP_PASSES_PLANNING_LIB_CONFLICTS_EXPLAIN_H
#define SMP_PASSES_PLANNING_LIB_CONFLICTS_EXPLAIN_H

#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// Of a problem with sound figures whose pins contradict each other or what is
/// not a pin, or that has no placement: a smallest set of items whose pins
/// exclude every placement; without any pin, of items that are to blame.
///
/// Sets are tried by size, within a budget; beyond that the set is one from
/// which nothing can be left out, and says so.
PartitionConflict explainConflict(const PartitionProblem &problem);

/// Of one for which no placement was found, though none is proved impossible.
PartitionConflict giveUp(const PartitionProblem &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_CONFLICTS_EXPLAIN_H
