// SPDX-License-Identifier: Apache-2.0
// What the shape of a product decides about its kernels.

#ifndef SMP_CODEGEN_CUDA_LIB_PRODUCTPLAN_H
#define SMP_CODEGEN_CUDA_LIB_PRODUCTPLAN_H

#include "Product.h"
#include "Tile.h"

namespace smp::codegen::cuda {

struct ProductPlan {
  bool isTiled; ///< Else a thread makes a result.
  Tile tile;
  /// A long depth of few results is summed in parts, which are added in their
  /// order: as many threads as results would leave the GPU empty. The op, its
  /// shape and its type alone decide it, as the bits depend on it.
  int64_t parts, partDepth;
};

ProductPlan planOf(const Product &product);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_PRODUCTPLAN_H
