// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/training/Recompute.h"
#include "ReverseMode.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/training/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "smp/passes/training/Passes.h.inc"

namespace {

/// Gives the backward ops of one entry their own copies of what is recomputed.
class Recomputer {
public:
  Recomputer(EntryOp entry, OriginNumbers &origins)
      : body(entry.getBody().front()), origins(origins) {}

  void run() {
    // Copies come before the op that is looked at, so that the block may grow.
    for (Operation &op : body.without_terminator())
      if (isBackward(getPhase(&op)) && !made.contains(&op))
        for (OpOperand &operand : op.getOpOperands())
          operand.set(recomputed(operand.get(), &op));
    for (Operation &op : body)
      op.removeAttr(kRecomputeAttr);
  }

private:
  static bool isRecomputed(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->hasAttr(kRecomputeAttr) && getPhase(op) == Unit::Forward &&
           !isSource(op) && isPure(op);
  }

  /// The value as a backward op at `user` takes it.
  Value recomputed(Value value, Operation *user) {
    auto needsCopy = [&](Value used) {
      return isRecomputed(used) && !copies.contains(used.getDefiningOp());
    };
    if (needsCopy(value))
      visitProducersFirst(value.getDefiningOp(), needsCopy, [&](Operation *op) {
        copies[op] = copyOf(op, user);
      });
    return copied(value);
  }

  /// The copy of the value, or itself where it has none.
  Value copied(Value value) const {
    if (!isRecomputed(value))
      return value;
    auto result = cast<OpResult>(value);
    return copies.at(result.getOwner())->getResult(result.getResultNumber());
  }

  Operation *copyOf(Operation *op, Operation *user) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(copied(operand));
    OpBuilder builder(user);
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->setLoc(partOf(op->getLoc()));
    copy->setAttr(kUnitAttr,
                  ir::UnitAttr::get(op->getContext(), Unit::BackwardInput));
    copy->setAttr(kOriginAttr, origins.of(op));
    if (PlacementAttr pin = getPlacement(op))
      setPlacement(copy, pin.getPartition(), Origin::Propagated);
    made.insert(copy);
    return copy;
  }

  Block &body;
  OriginNumbers &origins;
  llvm::DenseMap<Operation *, Operation *> copies;
  llvm::DenseSet<Operation *> made;
};

struct Recompute : impl::RecomputePassBase<Recompute> {
  void runOnOperation() override { recompute(getOperation()); }
};

} // namespace

void recompute(ModuleOp module) {
  OriginNumbers origins(module);
  for (auto entry : module.getOps<EntryOp>())
    Recomputer(entry, origins).run();
}

} // namespace smp::passes
