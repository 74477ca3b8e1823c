// SPDX-License-Identifier: Apache-2.0
// What a placement means: the figures that --print-plan shows.

#ifndef SMP_PASSES_PLACEMENT_PLAN_H
#define SMP_PASSES_PLACEMENT_PLAN_H

#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PlacementRequest.h"
#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// A placement's figures. Times are of one microbatch through all entries, by
/// their weights (EntryWeights).
struct Plan {
  std::vector<PartitionLoad> loads; ///< Items are ops with work or views.
  double bottleneck = 0;            ///< Seconds of the busiest partition.
  /// What is proved: no placement with the same pins of users has a lower
  /// bottleneck, however it divides kernels and whatever memory it needs.
  /// Nothing where that is unknown: of a module that is trained under a memory
  /// limit, since what is computed again differs from placement to placement,
  /// and of pins that contradict each other.
  std::optional<double> bound;
  /// Ops by who placed them; ops on all partitions are counted apart.
  uint32_t user = 0, propagated = 0, solver = 0, everywhere = 0;
};

/// The plan of a module in which every op has a placement, made as `request`
/// says.
///
/// What a partition needs is predicted from ops, before they are kernels: what
/// the program needs in the end, memoryOf() says.
Plan describePlan(mlir::ModuleOp module, const CostModel &model,
                  const PlacementRequest &request = {});

/// What each partition has to do and holds; as Plan::loads, but that items are
/// those that the partitioner places.
std::vector<PartitionLoad> predictLoads(mlir::ModuleOp module,
                                        const CostModel &model,
                                        PipelineChoice pipeline);

/// Prints a table, a line per partition, and the totals.
void printPlan(llvm::raw_ostream &os, const Plan &plan);

/// The bytes of its loads, which decide where ops are put, but are not those of
/// the program.
void printCountedBytes(llvm::raw_ostream &os, const Plan &plan);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PLAN_H
