// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "smp/passes/Passes.h.inc"

namespace {
/// Gives new ops the placement of the one that they stand for, and collects
/// those that can be decomposed in turn.
struct Successor : OpBuilder::Listener {
  Successor(Operation *origin, SmallVectorImpl<Operation *> &worklist)
      : origin(origin), worklist(worklist) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto placement = ir::getPlacement(origin))
      op->setAttr(ir::kPlacementAttr, placement);
    if (isa<ir::DecomposeOpInterface>(op))
      worklist.push_back(op);
  }
  Operation *origin;
  SmallVectorImpl<Operation *> &worklist;
};

struct Decompose : impl::DecomposePassBase<Decompose> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    getOperation().walk(
        [&](ir::DecomposeOpInterface op) { worklist.push_back(op); });
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      Successor successor(op, worklist);
      OpBuilder builder(op, &successor);
      op->replaceAllUsesWith(
          cast<ir::DecomposeOpInterface>(op).decompose(builder));
      op->erase();
    }
  }
};
} // namespace
} // namespace smp::passes
