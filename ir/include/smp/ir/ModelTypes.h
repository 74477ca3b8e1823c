// SPDX-License-Identifier: Apache-2.0
// Types and small tensors between MLIR and the plain structs of smp/model.

#ifndef SMP_IR_MODELTYPES_H
#define SMP_IR_MODELTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "smp/model/Graph.h"

namespace smp::ir {

/// The MLIR element type of a dtype: signless iN for signed, uiN for unsigned
/// integers, i1 for bool.
mlir::Type toMlir(mlir::MLIRContext *context, DType dtype);
mlir::RankedTensorType toMlir(mlir::MLIRContext *context,
                              const TensorType &type);

/// The dtype of an element type of the dialect; nothing for any other type.
std::optional<DType> toModel(mlir::Type elementType);
/// `type` has an element type of the dialect.
TensorType toModel(mlir::RankedTensorType type);

/// All elements, row-major. `elements` has an element type of the dialect.
HostTensor toHost(mlir::DenseElementsAttr elements);
/// Whether the bytes are of several elements and each has the same: a zero is
/// not the other one.
bool isSplat(DType dtype, std::span<const std::byte> bytes);
/// The bytes are copied; equal elements make a splat.
mlir::DenseElementsAttr toAttr(mlir::MLIRContext *context,
                               const TensorType &type,
                               std::span<const std::byte> bytes);

} // namespace smp::ir

#endif // SMP_IR_MODELTYPES_H
