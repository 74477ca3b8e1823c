// SPDX-License-Identifier: Apache-2.0
// Computing forward values again in backward work, so that they need not be
// kept: which ones, and what that costs.

#ifndef SMP_PASSES_PLACEMENT_CHOOSERECOMPUTE_H
#define SMP_PASSES_PLACEMENT_CHOOSERECOMPUTE_H

#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PlacementRequest.h"
#include <functional>

namespace smp::passes {

/// A forward value that backward ops may take of a copy.
struct RecomputePick {
  mlir::Value value;
  /// What has to be copied, in no order: the op of the value, those between it
  /// and what is kept, and views.
  llvm::SmallVector<mlir::Operation *> ops;
  /// What is kept less, of all microbatches under way.
  int64_t freedBytes = 0;
  double seconds = 0; ///< Of the copies, per microbatch.
};

/// What can be computed again on a partition of a placed module, in the order
/// in which it should be: each next pick frees most bytes per second of all
/// that are left, counting what picks before it compute and what must be there
/// at once. Deterministic. O(values^2).
std::vector<RecomputePick> rankRecompute(mlir::ModuleOp module,
                                         int64_t partition,
                                         const CostModel &model,
                                         PipelineChoice pipeline);

/// Bytes that each partition of a placed module needs when its ops that are
/// marked with `smp.recompute` are computed again; leaves the module as it is.
/// On failure an error has been emitted.
using MemoryOracle =
    std::function<mlir::FailureOr<llvm::SmallVector<int64_t>>(mlir::ModuleOp)>;

/// Marks ops of a placed module with `smp.recompute`, for each partition as
/// much of its ranking as it takes until `oracle` says that it needs at most
/// `request.memoryLimit` bytes: steps go by what picks should free, so that the
/// oracle is asked a few times only. Emits a remark per partition that says
/// what was chosen. Where all that helps does not suffice, fails with an error
/// that has the least bytes that were found. Returns the number of values
/// chosen.
mlir::FailureOr<unsigned> chooseRecompute(mlir::ModuleOp module,
                                          const PlacementRequest &request,
                                          const CostModel &model,
                                          const MemoryOracle &oracle);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_CHOOSERECOMPUTE_H
