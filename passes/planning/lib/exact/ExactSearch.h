// SPDX-License-Identifier: Apache-2.0
// All placements of problems with few groups.

#ifndef SMP_PASSES_PLANNING_LIB_EXACT_EXACTSEARCH_H
#define SMP_PASSES_PLANNING_LIB_EXACT_EXACTSEARCH_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// Searches all placements that are better than `best` (which may be empty), up
/// to a number of steps, of partitions that need one stage each if that is
/// asked for. Returns whether it came to its end, so that `best` has the least
/// bottleneck that there is, or is empty because there is no placement.
bool searchAll(const Contraction &problem, Placement &best, bool isContiguous,
               uint64_t steps);

/// Whether so many steps show that no placement has a bottleneck of
/// `bottleneck` or less.
bool excludesAll(const Contraction &problem, int64_t bottleneck,
                 bool isContiguous, uint64_t steps);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_EXACT_EXACTSEARCH_H
