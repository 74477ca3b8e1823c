// SPDX-License-Identifier: Apache-2.0
// Placements along the order of stages.

#ifndef SMP_PASSES_PLANNING_LIB_EXACT_STAGEFIT_H
#define SMP_PASSES_PLANNING_LIB_EXACT_STAGEFIT_H

#include "Packing.h"

namespace smp::passes {

/// Partitions with pins, and which of them must come after which because a way
/// leads from pin to pin. By partition, those that follow it at once or later.
std::vector<std::vector<uint32_t>> pinnedOrder(const Contraction &problem);

/// Fills partitions one after another, in an order that pins allow, with groups
/// that come after those whose tensors they take. `problem` has no cycles.
///
/// No: pins do not fit, or would send a tensor back to where it comes from.
/// Unknown: limits or allowed sets were in the way. O(partitions * arcs).
Fit fitInStages(const Contraction &problem, Placement &placement);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_EXACT_STAGEFIT_H
