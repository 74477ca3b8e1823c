// SPDX-License-Identifier: Apache-2.0
// Fewer and larger groups.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_COARSEN_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_COARSEN_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// Makes one of each two neighbours that it is dear to divide for what they
/// cost, of groups that `placement` has on one partition. What they become
/// costs at most `mostCost` where it is cheapest. The seed decides who is asked
/// first. Returns the new number of each group; numbers begin at 0, by first
/// item. O(ends of nets).
std::vector<uint32_t> matchNeighbours(const Contraction &problem,
                                      const Placement &placement,
                                      int64_t mostCost, uint64_t seed);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_COARSEN_H
