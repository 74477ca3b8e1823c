// SPDX-License-Identifier: Apache-2.0
// Conflicts of pins that are found without a search.

#ifndef SMP_PASSES_PLANNING_LIB_CONFLICTS_KNOWNCONFLICTS_H
#define SMP_PASSES_PLANNING_LIB_CONFLICTS_KNOWNCONFLICTS_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// The fewest of the pins, by number, that exclude every placement in one of
/// these ways: a partition that does not exist or may not have the group, a
/// group that is too large for its partition, two pins of one group, groups of
/// one partition that together are too large, and, where stages are one each, a
/// tensor that comes back to its partition by way of others. Empty when there
/// is no such thing. `groups` has no pins. O(pins * arcs) at worst.
std::vector<uint32_t>
findKnownConflict(const PartitionProblem &problem, const Contraction &groups,
                  const std::vector<PartitionProblem::Pin> &pins);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_CONFLICTS_KNOWNCONFLICTS_H
