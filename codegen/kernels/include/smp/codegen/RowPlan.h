// SPDX-License-Identifier: Apache-2.0
// What rows are to a group of reductions, whatever walks them.

#ifndef SMP_CODEGEN_ROWPLAN_H
#define SMP_CODEGEN_ROWPLAN_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/DenseMap.h"

namespace smp::codegen {

/// What a row is, and which reductions wait for which.
struct RowPlan {
  explicit RowPlan(ir::GroupOp group);

  llvm::SmallVector<int64_t> shape; ///< Of whole rows.
  /// The dimensions of `shape`: those that number the rows, then those of a
  /// row, which are the last ones but in a loop.
  llvm::SmallVector<int64_t> dims;
  int64_t outerDims; ///< How many of them number the rows.
  int64_t rows = 1, columns = 1;
  /// Reductions that can be done in one walk, in order of walks.
  llvm::SmallVector<llvm::SmallVector<ir::ReduceOp>> walks;
  /// Values of whole rows, each computed in a walk and needed in a later one,
  /// that are better kept than computed again; by walk.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> saved;

private:
  void findWalks(ir::GroupOp group);
  void findSaved(ir::GroupOp group);
  llvm::DenseMap<mlir::Operation *, unsigned> walkOf;
};

} // namespace smp::codegen

#endif // SMP_CODEGEN_ROWPLAN_H
