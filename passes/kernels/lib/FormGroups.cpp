// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Taps.h"
#include "smp/passes/fusion/MakeGroup.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_FORMGROUPSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// Turns a planned group into a smp.group op.
void outline(const GroupPlan &plan, const Group &group) {
  const GroupBoundary boundary = boundaryOf(plan, group);
  OpBuilder b(group.ops.back());
  ir::GroupOp made =
      makeGroup(b, group, boundary, boundary.inputs.getArrayRef());
  for (auto [old, replacement] : llvm::zip(boundary.results, made.getResults()))
    Value(old).replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return takesFromOutside(plan, group, use.getOwner());
    });
}

/// What groups compute only where they read it, watchers compute for
/// themselves. Whether there is any.
class WatchedAgain {
public:
  explicit WatchedAgain(const GroupPlan &plan) : plan(plan) {}

  bool run() {
    for (const auto &group : plan.groups())
      if (!group->watches && group->strategy != ir::Strategy::Loop)
        for (Operation *op : group->ops)
          if (plan.isAbsorbed(op))
            replaceFor(op);
    return !copies.empty();
  }

private:
  void replaceFor(Operation *op) {
    SmallVector<OpOperand *> watching;
    for (OpOperand &use : op->getUses())
      if (ir::isWatcher(use.getOwner()) && !isCopy(use.getOwner()))
        watching.push_back(&use);
    if (watching.empty())
      return;
    ir::visitProducersFirst(
        op,
        [&](Value used) {
          return plan.isAbsorbed(used.getDefiningOp()) &&
                 !copies.contains(used.getDefiningOp());
        },
        [&](Operation *next) { copy(next); });
    for (OpOperand *use : watching)
      use->set(copies.lookup(op)->getResult(
          cast<OpResult>(use->get()).getResultNumber()));
  }

  void copy(Operation *op) {
    if (copies.contains(op))
      return;
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    Operation *made = b.clone(*op);
    made->setLoc(ir::partOf(op->getLoc()));
    made->setAttr(ir::kWatchesAttr, b.getUnitAttr());
    for (OpOperand &operand : made->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp())
        if (Operation *found = copies.lookup(producer))
          operand.set(found->getResult(
              cast<OpResult>(operand.get()).getResultNumber()));
    copies[op] = made;
  }

  bool isCopy(Operation *op) const {
    return llvm::any_of(copies, [&](auto &one) { return one.second == op; });
  }

  const GroupPlan &plan;
  llvm::DenseMap<Operation *, Operation *> copies;
};

/// Sorts a block so that operands come before their users, keeping the order
/// otherwise: a group stands where its last op stood.
void sortBlock(Block &block) {
  llvm::SmallPtrSet<Operation *, 32> placed;
  SmallVector<Operation *> order;
  for (Operation &op : block)
    if (placed.insert(&op).second)
      ir::visitProducersFirst(
          &op,
          [&](Value used) {
            return placed.insert(used.getDefiningOp()).second;
          },
          [&](Operation *next) { order.push_back(next); });
  for (Operation *op : order)
    op->moveBefore(&block, block.end());
}

struct FormGroups : impl::FormGroupsPassBase<FormGroups> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      if (!isa<ir::EntryOp, ir::StageOp>(op))
        continue;
      if (failed(arrangeForGroups(op.getRegion(0).front())))
        return signalPassFailure();
      form(op.getRegion(0).front());
    }
  }

  void form(Block &block) {
    std::optional<GroupPlan> plan(std::in_place, block);
    if (WatchedAgain(*plan).run())
      plan.emplace(block);
    for (const auto &group : plan->groups())
      outline(*plan, *group);
    sortBlock(block);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (!isa<ir::GroupOp>(op) && isOpTriviallyDead(&op))
        op.erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
} // namespace smp::passes
