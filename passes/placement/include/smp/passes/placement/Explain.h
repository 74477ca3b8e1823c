// SPDX-License-Identifier: Apache-2.0
// Why a placement is as it is: what --explain shows.

#ifndef SMP_PASSES_PLACEMENT_EXPLAIN_H
#define SMP_PASSES_PLACEMENT_EXPLAIN_H

#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PlacementRequest.h"
#include <optional>
#include <vector>

namespace smp::passes {

/// Bottlenecks are of the busiest partition, in seconds per microbatch, as the
/// partitioner counts them.
struct Explanation {
  /// The pins of all ops of a name.
  struct Pin {
    std::string name;
    llvm::SmallVector<int64_t, 1> partitions;
    /// What the partitioner finds without it, and what no placement without it
    /// is below. Nothing where it finds no answer.
    std::optional<double> bottleneck, bound;
  };
  /// An op beside the border, on the other side of it, with all that shares a
  /// variable with it.
  struct Move {
    std::string name;
    uint32_t from = 0, to = 0;
    double bottleneck = 0;
    bool isOverLimit = false; ///< By the bytes that the partitioner counts.
  };

  double bottleneck = 0;
  std::vector<Pin> pins;   ///< None in mode manual, in which nothing is solved.
  uint32_t morePins = 0;   ///< That were not looked at.
  std::vector<Move> moves; ///< By bottleneck, then by name.
  int64_t memoryLimit = 0; ///< Bytes per partition; 0: there is none.
  /// What the partitioner finds without the limit, and with nothing computed
  /// again.
  std::optional<double> bottleneckWithoutLimit;
  /// Whether that answer is better and over the limit, by the bytes that the
  /// partitioner counts.
  bool doesLimitBind = false;
  bool isComputedAgain = false; ///< Whether values are, for the limit.
};

/// Of a module in which every op has a placement, made as `request` says.
/// `asked`: the same one, or a copy from before it was placed, with nothing
/// computed again; it is told how many partitions there are. What a pin costs
/// and a move is said without the limit of a module that is trained: what that
/// forces to be computed again differs from placement to placement. Solves once
/// for each of up to 64 pins.
Explanation explainPlan(mlir::ModuleOp module, mlir::ModuleOp asked,
                        const CostModel &model,
                        const PlacementRequest &request);

void printExplanation(llvm::raw_ostream &os, const Explanation &explanation);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_EXPLAIN_H
