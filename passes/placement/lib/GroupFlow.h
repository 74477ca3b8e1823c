// SPDX-License-Identifier: Apache-2.0
// A block of lowered ops as the flow graph of its groups.

#ifndef SMP_PASSES_PLACEMENT_LIB_GROUPFLOW_H
#define SMP_PASSES_PLACEMENT_LIB_GROUPFLOW_H

#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/fusion/MakeGroup.h"
#include "smp/passes/planning/FlowGraph.h"

namespace smp::passes {

/// What the flow graph of a block needs to know.
struct FlowNames {
  const CostModel &costs;
  GroupSigner &signer;
  /// Which variable, prepared value or constant the op reads or assigns.
  llvm::function_ref<uint32_t(mlir::Operation *)> subjectOf;
  /// Whether a user has placed the source.
  llvm::function_ref<bool(mlir::Operation *)> isPinned;
  /// Whether the op is run once although it is on all partitions.
  llvm::function_ref<bool(mlir::Operation *)> runsOnce;
  /// Bytes of each tensor that the group needs while it runs.
  llvm::function_ref<std::vector<int64_t>(const Group &, const GroupBoundary &)>
      temporariesOf;
};

/// The graph that smp-form-groups would make of the block, whose ops have
/// placements: its groups, and ops that are in none, in the order that they
/// would have. Without inputs' and results' batch axes.
FlowGraph groupFlowOf(mlir::Block &block, const FlowNames &names);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_GROUPFLOW_H
