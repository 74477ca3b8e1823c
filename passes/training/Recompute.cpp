// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Recompute.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/Passes.h"
#include "training/ReverseMode.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "smp/passes/Passes.h.inc"

namespace {

/// Gives the backward ops of one entry their own copies of what is recomputed.
class Recomputer {
public:
  Recomputer(EntryOp entry, OriginNumbers &origins)
      : body(entry.getBody().front()), origins(origins) {}

  /// Returns how many ops were copied.
  unsigned run() {
    // Copies come before the op that is looked at, so that the block may grow.
    for (Operation &op : body.without_terminator())
      if (getPhase(&op) == Unit::BackwardInput && !copied.contains(&op))
        for (OpOperand &operand : op.getOpOperands())
          operand.set(recomputed(operand.get(), &op));
    for (Operation &op : body)
      op.removeAttr(kRecomputeAttr);
    return unsigned(copied.size());
  }

private:
  /// The value as a backward op at `user` takes it.
  Value recomputed(Value value, Operation *user) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || !result.getOwner()->hasAttr(kRecomputeAttr) ||
        getPhase(result.getOwner()) != Unit::Forward ||
        isSource(result.getOwner()) || !isPure(result.getOwner()))
      return value;
    Operation *copy = copies.lookup(result.getOwner());
    if (!copy) {
      copy = copyOf(result.getOwner(), user);
      copies[result.getOwner()] = copy;
    }
    return copy->getResult(result.getResultNumber());
  }

  Operation *copyOf(Operation *op, Operation *user) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(recomputed(operand, user));
    OpBuilder builder(user);
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->setLoc(partOf(op->getLoc()));
    copy->setAttr(kUnitAttr,
                  ir::UnitAttr::get(op->getContext(), Unit::BackwardInput));
    copy->setAttr(kOriginAttr, origins.of(op));
    if (PlacementAttr pin = getPlacement(op))
      setPlacement(copy, pin.getPartition(), Origin::Propagated);
    copied.insert(copy);
    return copy;
  }

  Block &body;
  OriginNumbers &origins;
  llvm::DenseMap<Operation *, Operation *> copies;
  llvm::DenseSet<Operation *> copied;
};

struct Recompute : impl::RecomputePassBase<Recompute> {
  void runOnOperation() override { recompute(getOperation()); }
};

} // namespace

unsigned recompute(ModuleOp module) {
  OriginNumbers origins(module);
  unsigned count = 0;
  for (auto entry : module.getOps<EntryOp>())
    count += Recomputer(entry, origins).run();
  return count;
}

} // namespace smp::passes
