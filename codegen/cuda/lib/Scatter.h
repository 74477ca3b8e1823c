// SPDX-License-Identifier: Apache-2.0
// Scatters, whichever of the two ops they are: updates, each of a slice, that
// fall on rows of slices.

#ifndef SMP_CODEGEN_CUDA_LIB_SCATTER_H
#define SMP_CODEGEN_CUDA_LIB_SCATTER_H

#include "Sorting.h"

namespace smp::codegen::cuda {

struct Scatter {
  explicit Scatter(ir::GroupOp group);

  mlir::Operation *op;
  ir::ScatterElementsOp elements; ///< Null: tuples of indices.
  ir::ScatterKind kind;
  mlir::RankedTensorType type, indices, updates;
  int64_t axis; ///< Of scatter_elements.
  /// Leading dimensions of the result that number rows, and of the updates that
  /// number those.
  size_t rowDims, updateDims;
  int64_t rows, slice, count; ///< Rows, elements of each, and updates.

  /// Whether updates are sorted by their rows, which then take theirs; else
  /// each element of the result looks at all updates.
  bool isSorted() const;
  /// How they are sorted: the keys are the rows' numbers.
  SortPlan sort() const;

  /// Of bounds of the indices of an update, number `i`.
  int64_t bound(size_t i) const;
  /// A 16-bit sum or product stays in f32 until all are in, so that it is
  /// rounded once.
  mlir::Value combine(ElementEmitter &emitter, mlir::Value sum,
                      mlir::Value value) const;
};

/// The kernel in which each element of the result looks for its updates.
void emitFewUpdates(KernelFunction &kernel, const Scatter &scatter);
/// The kernel that gives sorted updates to their rows.
void emitSortedScatter(KernelFunction &kernel, const Scatter &scatter);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_SCATTER_H
