// SPDX-License-Identifier: Apache-2.0
// Which ops of an entry form a stage together.

#ifndef SMP_PASSES_PLANNING_STAGEGRAPH_H
#define SMP_PASSES_PLANNING_STAGEGRAPH_H

#include "smp/passes/planning/FlowGraph.h"
#include <optional>

namespace smp::passes {

/// A stage to be: ops of one partition and phase, in the entry's order.
struct StagePlan {
  uint32_t partition = 0;
  Phase phase = Phase::Forward;
  std::vector<uint32_t> ops;
};

struct StagePlans {
  /// In an order in which each follows those that it depends on, and updates
  /// come last.
  std::vector<StagePlan> stages;
  /// A write that waits, on another partition or in another phase, for what
  /// reads its variable at the next microbatch: then there are no stages.
  std::optional<uint32_t> lateWrite;
};

/// Divides the ops of an entry, each on one partition, into stages that depend
/// on each other without a cycle. Writes come last in `graph`. A variable is
/// assigned by a stage that follows all others of its phase that read it; one
/// that is assigned per microbatch is read in the stage that assigns it, as
/// another might be at another microbatch. Transfers and `sources` belong to no
/// stage, but for those that leave one. Merges stages of a partition greedily,
/// earliest first, so that there are few; weight stages only where they follow
/// the same backward stage. O(stages^2 edges) at worst.
///
/// The idea: the depth of an op is the number of transfers on the longest way
/// to it. Ops of one partition, phase and depth form a stage, so that each
/// transfer leads to a deeper one and no cycle can be. For a chain a b c d with
/// b alone on partition 1
///
///     op         a  b  c  d
///     partition  0  1  0  0
///     depth      0  1  2  2
///
/// the stages are {a}, {b}, {c d}. Then stages of a partition are merged where
/// no path leads from one to the other by way of a third: {a} and {c d} stay
/// apart because of {b}. If only d took the result of b, c would have depth 0
/// and be in a stage with a from the start.
StagePlans planStages(const FlowGraph &graph, const std::vector<bool> &sources);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_STAGEGRAPH_H
