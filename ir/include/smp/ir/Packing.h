// SPDX-License-Identifier: Apache-2.0
// The size of packed operands.

#ifndef SMP_IR_PACKING_H
#define SMP_IR_PACKING_H

#include "mlir/IR/BuiltinTypes.h"

namespace smp::ir {

/// The widest panel of columns that any level packs, in bytes: every level's
/// panel divides it.
inline constexpr int64_t kWidestPanelBytes = 128;

/// What products of `element` are summed in.
mlir::Type accumulatorType(mlir::Type element);

/// The type of a packed operand of `products` products: columns are padded to
/// whole panels, elements are of the accumulator's type.
mlir::RankedTensorType packedType(mlir::Type element, int64_t products,
                                  int64_t depth, int64_t columns);

} // namespace smp::ir

#endif // SMP_IR_PACKING_H
