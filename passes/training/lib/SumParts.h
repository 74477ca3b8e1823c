// SPDX-License-Identifier: Apache-2.0
// The sum of what several uses contribute to a gradient.

#ifndef SMP_PASSES_TRAINING_LIB_SUMPARTS_H
#define SMP_PASSES_TRAINING_LIB_SUMPARTS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// `parts`, of one type and at least one, added in their order. Neighbouring
/// parts that zeros surround, as the gradients of slices, are put side by side
/// instead.
mlir::Value sumParts(mlir::OpBuilder &builder, mlir::Location location,
                     llvm::ArrayRef<mlir::Value> parts);

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_SUMPARTS_H
