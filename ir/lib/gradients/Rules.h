// SPDX-License-Identifier: Apache-2.0
// What several gradient rules share.

#ifndef SMP_IR_GRADIENTS_RULES_H
#define SMP_IR_GRADIENTS_RULES_H

#include "smp/ir/Constants.h"
#include "smp/ir/Gradient.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"

namespace smp::ir {

/// from, from + 1, ... to - 1.
inline llvm::SmallVector<int64_t> rangeOf(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq(from, to));
}

/// The gradient of what `smp.gather` took along `axis`, which has `size`
/// elements, by `indices`: zeros with `gradient` added where it was taken.
mlir::Value addGathered(GradientBuilder &g, mlir::Value gradient,
                        mlir::Value indices, int64_t axis, int64_t size);

/// The gradient of what a window slid over made, ready for a window that slides
/// back over it with stride 1, the same dilations and this padding, never
/// negative, and gives the shape of the input.
struct Unslid {
  mlir::Value gradient;
  llvm::SmallVector<int64_t> low, high;
};
Unslid unslide(GradientBuilder &g, mlir::RankedTensorType input,
               const WindowDims &dims, Layout layout);

} // namespace smp::ir

#endif // SMP_IR_GRADIENTS_RULES_H
