// SPDX-License-Identifier: Apache-2.0
// Placing a module within its memory limit.

#ifndef SMP_PASSES_PLACEMENT_PLACEWITHINLIMIT_H
#define SMP_PASSES_PLACEMENT_PLACEWITHINLIMIT_H

#include "smp/passes/placement/ChooseRecompute.h"
#include "smp/passes/placement/LoweredModel.h"

namespace smp::passes {

/// What the caller can do with copies of a module. On failure an error has been
/// emitted.
struct ModuleLowering {
  /// All of them are asked.
  ModuleLowering(std::function<mlir::LogicalResult(mlir::ModuleOp)> toKernelOps,
                 MemoryOracle bytesOf, TemporariesOf temporariesOf)
      : toKernelOps(std::move(toKernelOps)), bytesOf(std::move(bytesOf)),
        temporariesOf(std::move(temporariesOf)) {}

  /// From a model to what groups are formed of.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> toKernelOps;
  /// The bytes that each partition of a placed module needs in its program.
  MemoryOracle bytesOf;
  TemporariesOf temporariesOf;
};

/// Places every op, as `request` says, with its limit, and gives backward ops
/// copies of what is computed again. Placements are compared by what the
/// evaluator says of them, for which the module is lowered once, to its
/// kernels' ops; the program of the one that is taken is planned, so that the
/// limit holds exactly: where that needs more than was evaluated, more is
/// computed again. Emits remarks that say what is computed again, or an error
/// that has the bytes.
///
/// Placements are those that the solver proposes (searchWithinLimit()); where
/// none of these can be made to fit, all that there are, or as many as there is
/// time for (searchPlacements()), and a remark says which.
mlir::LogicalResult placeWithinLimit(mlir::ModuleOp module,
                                     const PlacementRequest &request,
                                     const CostModel &costs,
                                     const ModuleLowering &lowering);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PLACEWITHINLIMIT_H
