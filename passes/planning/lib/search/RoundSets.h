// SPDX-License-Identifier: Apache-2.0
// Placements from what a linear programme says.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_ROUNDSETS_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_ROUNDSETS_H

#include "../bounds/SetProver.h"
#include "smp/passes/planning/PartitionSolver.h"

namespace smp::passes {

/// A placement by the sets that a linear programme has shares of, annealed.
/// `placement` becomes it if that is better.
void roundSets(const Contraction &problem, const std::vector<HeldSet> &sets,
               Placement &placement, const Effort &effort,
               const JobRunner &jobs);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_ROUNDSETS_H
