// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Decompose.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {
/// Gives new ops the placement of the one that they stand for, and collects
/// those that can be decomposed in turn.
struct Successor : OpBuilder::Listener {
  Successor(Operation *origin, SmallVectorImpl<Operation *> &worklist)
      : origin(origin), worklist(worklist) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto placement = ir::getPlacement(origin))
      op->setAttr(ir::kPlacementAttr, placement);
    ir::inheritDerivation(origin, op);
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
    ir::PendingNames names;
    while (!worklist.empty())
      if (Operation *op = worklist.pop_back_val();
          !ir::targetOf(op).keepsWhole(op))
        decompose(op, worklist, names);
    names.apply();
  }
};
} // namespace

void decompose(Operation *op, SmallVectorImpl<Operation *> &worklist,
               ir::PendingNames &names) {
  Successor successor(op, worklist);
  OpBuilder builder(op, &successor);
  SmallVector<Value> values =
      cast<ir::DecomposeOpInterface>(op).decompose(builder);
  // A value that was there before takes the name too.
  for (Value value : values)
    names.move(op, value);
  op->replaceAllUsesWith(values);
  op->erase();
}

} // namespace smp::passes
