// SPDX-License-Identifier: Apache-2.0
// What a planned group takes and gives.

#ifndef SMP_PASSES_FUSION_GROUPBOUNDARY_H
#define SMP_PASSES_FUSION_GROUPBOUNDARY_H

#include "smp/passes/fusion/GroupPlan.h"
#include "llvm/ADT/SetVector.h"

namespace smp::passes {

struct GroupBoundary {
  llvm::SetVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> results;
  /// The group's ops and the views that it copies, producers first.
  llvm::SmallVector<mlir::Operation *> body;
};

GroupBoundary boundaryOf(const GroupPlan &plan, const Group &group);

/// Whether `user`, which is in the group's block, takes values of the group
/// from outside. Views of them inside the group's copies do not; other groups
/// copy views for themselves.
bool takesFromOutside(const GroupPlan &plan, const Group &group,
                      mlir::Operation *user);

/// Whether a kernel of these ops, producers first, reads `value` element by
/// element, each before it writes the element of its results at the same place.
/// `shape`: of its first result.
bool readsInPlace(ir::Strategy strategy, llvm::ArrayRef<mlir::Operation *> ops,
                  llvm::ArrayRef<int64_t> shape, mlir::Value value);

/// Brings a block's ops into the shape and order that groups are planned in:
/// of elements of which few are gathered those are computed, wide concats are
/// divided, and gradients are added to sums over microbatches where they are
/// made, so that they need not wait in memory for the end. Fails
/// with an error at an op that no kernel computes.
mlir::LogicalResult arrangeForGroups(mlir::Block &block);

} // namespace smp::passes

#endif // SMP_PASSES_FUSION_GROUPBOUNDARY_H
