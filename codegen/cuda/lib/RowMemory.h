// SPDX-License-Identifier: Apache-2.0
// What a kernel of rows holds in the memory that the threads of a block share,
// so that it is read from the GPU's memory once.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
#define SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H

#include "smp/codegen/RowPlan.h"
#include "llvm/ADT/SetVector.h"

namespace smp::codegen::cuda {

/// A value of whole rows that a walk reads or computes, and later ones need.
struct KeptRow {
  mlir::Value tensor;
  unsigned walk; ///< The first that has it.
};

class RowMemory {
public:
  /// `rows`: those that a block has side by side.
  RowMemory(ir::GroupOp group, const RowPlan &plan, int64_t rows);

  llvm::SmallVector<KeptRow> kept;
  /// Operands that are the same for all rows.
  llvm::SmallVector<mlir::BlockArgument> common;

private:
  void findKept(ir::GroupOp group);
  void findCommon(ir::GroupOp group);
  void visit(mlir::Value value, unsigned walk,
             llvm::SetVector<mlir::Value> &seen) const;
  bool isSavedBefore(mlir::Value value, unsigned walk) const;
  /// Whether `copies` rows of such elements fit as well; then they do.
  bool take(mlir::Value tensor, int64_t copies);

  const RowPlan &plan;
  const int64_t rows;
  int64_t bytes = 0;
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWMEMORY_H
