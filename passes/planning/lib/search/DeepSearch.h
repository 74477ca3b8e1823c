// SPDX-License-Identifier: Apache-2.0
// Where there is time to look further.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_DEEPSEARCH_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_DEEPSEARCH_H

#include "../problem/Contraction.h"
#include "smp/passes/planning/PartitionSolver.h"

namespace smp::passes {

/// Makes a placement better by cuts of many drawn orders, and by annealing from
/// the best of them, from others, and from everything on one partition. The
/// placement must fit, or be empty; then it may stay so.
void searchDeeper(const Contraction &problem, Placement &placement,
                  const Effort &effort, const JobRunner &jobs);

/// Makes a placement with one stage per partition better by cuts of drawn
/// orders in which producers come first. It may be empty; `problem` has no
/// cycles.
void searchStages(const Contraction &problem, Placement &placement,
                  const Effort &effort, const JobRunner &jobs);

/// The same for problems of many thousand groups, by levels.
void searchByLevels(const Contraction &problem, Placement &placement,
                    const Effort &effort, const JobRunner &jobs);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_DEEPSEARCH_H
