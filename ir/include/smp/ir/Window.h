// SPDX-License-Identifier: Apache-2.0
// Dimensions of activations and of windows that slide over them.

#ifndef SMP_IR_WINDOW_H
#define SMP_IR_WINDOW_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// A window per spatial dimension; all lists have one item each.
struct WindowDims {
  llvm::ArrayRef<int64_t> window, strides, low, high, dilations;
};

/// The spatial sizes of the result, or an error at `location`.
llvm::FailureOr<llvm::SmallVector<int64_t>>
inferWindowedShape(std::optional<mlir::Location> location,
                   llvm::ArrayRef<int64_t> input, const WindowDims &dims);

/// An activation's shape told apart: [batch, features, spatial...] or
/// [batch, spatial..., features].
struct ActivationDims {
  ActivationDims(mlir::RankedTensorType type, Layout layout);
  /// The shape that the parts make up in `layout`.
  static llvm::SmallVector<int64_t> shapeOf(Layout layout, int64_t batch,
                                            int64_t features,
                                            llvm::ArrayRef<int64_t> spatial);

  int64_t featureDim, firstSpatialDim;
  int64_t batch, features;
  llvm::SmallVector<int64_t> spatial;
};

} // namespace smp::ir

#endif // SMP_IR_WINDOW_H
