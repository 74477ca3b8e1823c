// SPDX-License-Identifier: Apache-2.0
// Which ops of an entry form a stage together.

#ifndef SMP_PASSES_PIPELINE_LIB_STAGEGRAPH_H
#define SMP_PASSES_PIPELINE_LIB_STAGEGRAPH_H

#include "smp/passes/pipeline/StageSources.h"

namespace smp::passes {

/// A stage to be: ops of one partition and phase, in the entry's order.
struct StagePlan {
  int64_t partition = 0;
  ir::Unit unit = ir::Unit::Forward;
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Divides the ops of an entry, each on one partition, into stages that depend
/// on each other without a cycle; in an order in which each follows those that
/// it depends on, and updates come last. A variable is assigned by a stage that
/// follows all others of its phase that read it; one that is assigned per
/// microbatch is read in the stage that assigns it, as another might be at
/// another microbatch. Fails with an error where that cannot be. Transfers and
/// `sources` belong to no stage, but for those that leave one. Merges stages of
/// a partition greedily, earliest first, so that there are few. O(stages^2
/// edges) at worst.
llvm::FailureOr<llvm::SmallVector<StagePlan>>
planStages(ir::EntryOp entry, const StageSources &sources);

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_LIB_STAGEGRAPH_H
