// SPDX-License-Identifier: Apache-2.0
// Packed operands of products.

#ifndef SMP_IR_PACKING_H
#define SMP_IR_PACKING_H

#include "mlir/IR/BuiltinTypes.h"

namespace smp::ir {

/// What products of `element` are summed in.
mlir::Type accumulatorType(mlir::Type element);

/// The type of a packed operand of `products` products of `element`: columns
/// are padded to a multiple of `packedBytes`, which is the target's. Null when
/// it has more elements than a tensor can have.
mlir::RankedTensorType packedType(mlir::Type element, int64_t products,
                                  int64_t depth, int64_t columns,
                                  int64_t packedBytes);

/// Whether `packed` has, for each of `products` times `depth` rows, `columns`
/// and the same padding.
bool holdsPacked(mlir::RankedTensorType packed, int64_t products, int64_t depth,
                 int64_t columns);

} // namespace smp::ir

#endif // SMP_IR_PACKING_H
