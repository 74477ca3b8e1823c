// SPDX-License-Identifier: Apache-2.0
// What a kernel of rows holds in the memory that the threads of a block share,
// so that it is read from the GPU's memory once.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
#define SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H

#include "smp/codegen/RowPlan.h"

namespace smp::codegen::cuda {

/// A value of whole rows that a walk reads or computes, and later ones need.
struct KeptRow {
  mlir::Value tensor;
  unsigned walk; ///< The first that has it.
};

struct RowMemory {
  llvm::SmallVector<KeptRow> kept;
  /// Operands that are the same for all rows.
  llvm::SmallVector<mlir::BlockArgument> common;

  /// For kernels that walk whole rows, `rows` of them side by side.
  static RowMemory of(ir::GroupOp group, const RowPlan &plan, int64_t rows);
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
