// SPDX-License-Identifier: Apache-2.0
// Products as matrices, whatever op they are of.

#ifndef SMP_CODEGEN_CUDA_LIB_PRODUCT_H
#define SMP_CODEGEN_CUDA_LIB_PRODUCT_H

#include "smp/codegen/ElementEmitter.h"
#include <functional>
#include <optional>

namespace smp::codegen::cuda {

/// An operand of a product: for each batch a matrix of elements, by their
/// number along a side of the result and by depth.
struct ProductSide {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> shape; ///< The tensor's, dimensions joined.
  int64_t extent = 1;
  /// Whether neighbours in memory are neighbours in depth, else along the side.
  bool runsAlongDepth = false;
  /// So many of these neighbours follow each other in the last dimension and
  /// begin at a multiple of their number in memory.
  int64_t run = 1;
  /// Whether some elements are missing: nothing is added for them.
  bool hasHoles = false;

  /// Where the element is in `shape`, and what must hold for it to exist.
  using Conditions = llvm::SmallVector<mlir::Value, 4>;
  std::function<Position(ElementEmitter &, const Position &batch,
                         const Index &own, const Index &depth, Conditions &)>
      at;
};

/// An op whose results are sums of products, each in order of depth from +0. A
/// convolution is one too: its depth is the window's positions by the group's
/// input features, and of positions outside the input nothing is added.
struct Product {
  mlir::Value result;
  llvm::SmallVector<int64_t> batchSizes;
  int64_t depth = 1;
  ProductSide rows, columns;
  int64_t run = 1; ///< Of columns in the result's last dimension.
  /// Where a result is.
  std::function<Position(ElementEmitter &, const Position &batch,
                         const Index &row, const Index &column)>
      at;

  /// Null for other ops.
  static std::optional<Product> of(mlir::Operation *op);

  int64_t batches() const;
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_PRODUCT_H
