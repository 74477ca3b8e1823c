// SPDX-License-Identifier: Apache-2.0
// Decomposition of one op, for passes that need primitives in one place.

#ifndef SMP_PASSES_DECOMPOSE_H
#define SMP_PASSES_DECOMPOSE_H

#include "smp/ir/Names.h"

namespace smp::passes {

/// Replaces a composite by what it decomposes into, which gets its placement,
/// unit and origin. New composites are added to `worklist`, and the op's names
/// to `names`.
void decompose(mlir::Operation *op,
               llvm::SmallVectorImpl<mlir::Operation *> &worklist,
               ir::PendingNames &names);

} // namespace smp::passes

#endif // SMP_PASSES_DECOMPOSE_H
