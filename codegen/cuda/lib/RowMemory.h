// SPDX-License-Identifier: Apache-2.0
// What a kernel of rows holds in registers, or in the memory that the threads
// of a block share, so that it is read from the GPU's memory once.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
#define SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H

#include "smp/codegen/RowPlan.h"

namespace smp::codegen::cuda {

/// A value of whole rows that a walk reads or computes, and later ones need.
struct KeptRow {
  mlir::Value tensor;
  unsigned walk; ///< The first that has it.
  unsigned last; ///< The last that needs it.
};

/// What a thread may hold in registers.
struct RowRegisters {
  int64_t elements; ///< Of a row, those of each thread; 0: that varies.
  int64_t bytes;    ///< That there is room for.
};

struct RowMemory {
  llvm::SmallVector<KeptRow> kept;
  /// In registers where all fits there: bytes of a thread at most; else 0, and
  /// what fits is in shared memory.
  int64_t registerBytes = 0;
  /// Operands that are the same for all rows.
  llvm::SmallVector<mlir::BlockArgument> common;

  /// For kernels that walk whole rows, `rows` of them side by side.
  static RowMemory of(ir::GroupOp group, const RowPlan &plan, int64_t rows,
                      const RowRegisters &registers);
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
