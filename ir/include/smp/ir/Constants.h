// SPDX-License-Identifier: Apache-2.0
// Making constant ops.

#ifndef SMP_IR_CONSTANTS_H
#define SMP_IR_CONSTANTS_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// A constant of tensor type `type` with all elements `value`, rounded to the
/// element type.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location location,
                  mlir::Type type, double value);

/// A constant of type `type` with the given elements in row-major order, each
/// rounded to the element type.
mlir::Value constantOf(mlir::OpBuilder &builder, mlir::Location location,
                       mlir::RankedTensorType type,
                       llvm::ArrayRef<double> values);
mlir::Value constantOf(mlir::OpBuilder &builder, mlir::Location location,
                       mlir::RankedTensorType type,
                       llvm::ArrayRef<int64_t> values);

/// `value` as an attribute of element type `type`, rounded to it.
mlir::Attribute scalarAttr(mlir::Type type, double value);

} // namespace smp::ir

#endif // SMP_IR_CONSTANTS_H
