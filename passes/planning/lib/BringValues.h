// SPDX-License-Identifier: Apache-2.0
// Transfers of a placed entry.

#ifndef SMP_PASSES_PLANNING_LIB_BRINGVALUES_H
#define SMP_PASSES_PLANNING_LIB_BRINGVALUES_H

#include "smp/passes/planning/FlowGraph.h"

namespace smp::passes {

/// Brings each value to where it is used, as smp-insert-transfers does: by a
/// copy of what makes it, where that is a source or on all partitions, else by
/// a transfer. `isAssigned`: by variable, in some entry. Writes come last in
/// what is returned; each of its ops is on one partition.
FlowGraph bringValues(FlowGraph graph, const std::vector<bool> &isAssigned);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BRINGVALUES_H
