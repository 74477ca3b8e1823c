// SPDX-License-Identifier: Apache-2.0
#include "FewGathered.h"
#include "WideConcats.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Target.h"
#include "smp/passes/fusion/GroupBoundary.h"

using namespace mlir;

namespace smp::passes {

/// What the assign's value is computed from by copies and arithmetic that
/// nothing else needs.
static llvm::SetVector<Operation *> chainOf(ir::AssignOp assign) {
  llvm::SetVector<Operation *> chain;
  chain.insert(assign);
  for (size_t i = 0; i < chain.size(); ++i)
    for (Value operand : chain[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && ir::getPhase(producer) == ir::getPhase(assign) &&
          (producer->hasTrait<ir::trait::Elementwise>() ||
           isa<ir::ReadOp, ir::ReshapeOp, ir::TransposeOp, ir::BroadcastOp>(
               producer)) &&
          llvm::all_of(ir::readersOf(producer),
                       [&](Operation *user) { return chain.contains(user); }))
        chain.insert(producer);
    }
  return chain;
}

/// Adds gradients to sums over microbatches where they are made: they need not
/// wait in memory for the end.
static void hoistSums(Block &block) {
  for (auto assign : llvm::to_vector(block.getOps<ir::AssignOp>())) {
    if (!ir::isBackward(ir::getPhase(assign)))
      continue;
    llvm::SetVector<Operation *> chain = chainOf(assign);
    Operation *latest = nullptr;
    for (Operation *op : chain)
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && !chain.contains(producer) &&
            (!latest || latest->isBeforeInBlock(producer)))
          latest = producer;
    if (!latest)
      continue;
    SmallVector<Operation *> ordered(chain.begin(), chain.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : ordered) {
      op->moveAfter(latest);
      latest = op;
    }
  }
}

/// Whether the op is there to be decomposed: the target does not keep it whole.
static bool isToBeDecomposed(Operation *op) {
  return isa<ir::DecomposeOpInterface>(op) && !ir::targetOf(op).keepsWhole(op);
}

/// Fails at an op that no kernel computes.
static LogicalResult checkComputable(Block &block) {
  for (Operation &op : block) {
    if ((ir::isComputable(&op) && !isToBeDecomposed(&op)) ||
        ir::needsNoKernel(&op))
      continue;
    const char *remedy = !isa<ir::RoleOpInterface>(op)
                             ? "it is no op of the smp dialect"
                         : isa<ir::GroupOp>(op) ? "it is in a group already"
                         : isa<ir::DecomposeOpInterface>(op)
                             ? "run --smp-decompose first"
                             : "run the passes of training first";
    op.emitOpError("is computed by no kernel").attachNote() << remedy;
    return failure();
  }
  return success();
}

LogicalResult arrangeForGroups(Block &block) {
  if (failed(checkComputable(block)))
    return failure();
  gatherFewBefore(block);
  splitWideConcats(block);
  hoistSums(block);
  return success();
}

} // namespace smp::passes
