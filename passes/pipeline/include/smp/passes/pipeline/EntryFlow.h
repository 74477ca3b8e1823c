// SPDX-License-Identifier: Apache-2.0
// An entry as plain data.

#ifndef SMP_PASSES_PIPELINE_ENTRYFLOW_H
#define SMP_PASSES_PIPELINE_ENTRYFLOW_H

#include "smp/ir/Smp.h"
#include "smp/passes/planning/FlowGraph.h"

namespace smp::passes {

/// What the op is in a flow graph, and when it runs.
FlowGraph::Role flowRoleOf(mlir::Operation *op);
Phase flowPhaseOf(mlir::Operation *op);

struct EntryFlow {
  FlowGraph graph; ///< Without bytes and seconds.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// The ops of the entry but its terminator. What has no placement is on
/// partition 0.
EntryFlow flowOf(ir::EntryOp entry);

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_ENTRYFLOW_H
