// SPDX-License-Identifier: Apache-2.0
// Types of values, all of which are tensors with a shape.

#ifndef SMP_IR_TENSORS_H
#define SMP_IR_TENSORS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace smp::ir {

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorOf(value).getShape();
}

inline mlir::Type elementOf(mlir::Value value) {
  return tensorOf(value).getElementType();
}

} // namespace smp::ir

#endif // SMP_IR_TENSORS_H
