// SPDX-License-Identifier: Apache-2.0
// A reduction whose neighbouring results are of neighbouring elements, and how
// it is divided among blocks and threads. The tree of sums follows from the
// operand's shape alone.

#ifndef SMP_CODEGEN_CUDA_LIB_COLUMNS_H
#define SMP_CODEGEN_CUDA_LIB_COLUMNS_H

#include "smp/codegen/target/KernelPlan.h"

namespace smp::codegen::cuda {

struct Columns {
  explicit Columns(ir::ReduceOp op);

  mutable ir::ReduceOp op;
  llvm::SmallVector<int64_t> kept, reduced; ///< Sizes of dimensions.
  int64_t count = 1, depth = 1;             ///< Results, elements of each.
  int64_t deep; ///< Threads that share a column of a block.
  /// The depth of few results is in parts, a block each, which leave states for
  /// a launch that joins them.
  int64_t parts, partDepth;

  bool isInParts() const { return parts > 1; }
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_COLUMNS_H
