// SPDX-License-Identifier: Apache-2.0
// Placements that give each device several parts of a model.

#ifndef SMP_PASSES_PLACEMENT_LIB_PARTSOFDEVICES_H
#define SMP_PASSES_PLACEMENT_LIB_PARTSOFDEVICES_H

#include "smp/passes/planning/PartitionProblem.h"
#include <variant>

namespace smp::passes {

/// Who has which part, of parts in the order of the model.
enum class PartOrder {
  Round, ///< 0 1 2 0 1 2: for devices that take turns.
  There, ///< 0 1 2 2 1 0: what ends where it began (ZB-V).
};

/// Solves the problem for the first `devices` partitions, each of which gets
/// `parts` runs of items at most. Pins are those of the problem, of these
/// partitions. A device per item, or why there is no answer.
std::variant<std::vector<uint32_t>, PartitionConflict>
solveParts(const PartitionProblem &problem, uint32_t devices, uint32_t parts,
           PartOrder order);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PARTSOFDEVICES_H
