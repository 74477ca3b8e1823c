// SPDX-License-Identifier: Apache-2.0
// The partition problem of a module.

#ifndef SMP_PASSES_PLACEMENT_LIB_BUILDPROBLEM_H
#define SMP_PASSES_PLACEMENT_LIB_BUILDPROBLEM_H

#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PlacementRequest.h"
#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// A problem and the ops behind each of its items.
struct ModuleProblem {
  PartitionProblem problem;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> ops;

  /// The op to name for an item: one with a pin, if there is one.
  mlir::Operation *anchor(uint32_t item) const;
  /// The partition of each item, where every op has a placement.
  std::vector<uint32_t> pinnedPartitions() const;
};

/// What smp-partition may decide, and what it counts with.
struct Freedom {
  /// Every op is an item that only a user's pin binds, for the least that it
  /// takes in any company: no placement of the module has a lower objective
  /// than the best answer.
  bool isRelaxed = false;
  /// Whether ops of one kernel are one item, unless pins divide them.
  bool keepsKernels = true;
  PipelineChoice pipeline = {};
  /// Which part of what is kept for backward work counts: less than 1 where
  /// the rest may be computed again.
  double stashShare = 1;
};

/// Whether the op is decided about: neither a constant that is copied nor on
/// every partition.
bool isItem(mlir::Operation *op);

/// The problem of all entries of the module, of ops that are items; those with
/// a placement are pinned.
ModuleProblem buildProblem(mlir::ModuleOp module, const CostModel &model,
                           Freedom freedom);

/// Emits a conflict at the ops that it names.
void emitConflict(mlir::ModuleOp module, const ModuleProblem &question,
                  const PartitionConflict &conflict);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_BUILDPROBLEM_H
