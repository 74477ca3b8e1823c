// SPDX-License-Identifier: Apache-2.0
// How rows are divided among blocks and threads. The tree of a reduction
// follows from it, and it follows from the row's shape alone.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWS_H
#define SMP_CODEGEN_CUDA_LIB_ROWS_H

#include "KernelFunction.h"
#include "smp/codegen/RowPlan.h"

namespace smp::codegen::cuda {

/// The states of a reduction of rows in parts, a temporary [rows, parts]. Where
/// elements are taken in order, there is the first alone, of the whole row.
struct RowStates {
  mutable ir::ReduceOp op;
  unsigned walk;
  unsigned narrow;
  /// Of states that never leave their type; none where the first never do.
  std::optional<unsigned> wide;
};

struct Rows {
  explicit Rows(ir::GroupOp group);

  const RowPlan plan;
  const int64_t lanes;   ///< Neighbours that a thread takes at a time.
  const int64_t vectors; ///< Of a row.
  int64_t warps;         ///< That share a part of a row.
  /// Few rows that are long are in parts, a block each: every walk is a launch
  /// and leaves states, which later launches join.
  int64_t parts = 1, partVectors;
  /// Of all reductions; empty where rows are in one part.
  llvm::SmallVector<RowStates> states;

  int64_t threads() const { return warps * kWarpThreads; }
  bool isInParts() const { return parts > 1; }
  /// Vectors of a whole row that each thread has; 0 where some have more than
  /// others.
  int64_t perThread() const {
    return isInParts() || vectors % threads() ? 0 : vectors / threads();
  }

private:
  void divide();
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWS_H
