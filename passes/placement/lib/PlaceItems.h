// SPDX-License-Identifier: Apache-2.0
// Placements around the solver: what is forgotten before, what follows after.

#ifndef SMP_PASSES_PLACEMENT_LIB_PLACEITEMS_H
#define SMP_PASSES_PLACEMENT_LIB_PLACEITEMS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Gives ops that share a variable with one that has a placement the same, as
/// `propagated`: all that smp-propagate-placement does.
void propagatePlacement(mlir::ModuleOp module);

/// Forgets where ops are that are not on all partitions.
void forgetPins(mlir::ModuleOp module);

/// Places ops that have no placement, as `propagated`: on the given partition,
/// else where they are first used.
void placeTheRest(mlir::ModuleOp module,
                  std::optional<int64_t> partition = std::nullopt);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PLACEITEMS_H
