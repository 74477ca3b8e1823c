// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Taps.h"
#include "smp/passes/fusion/GroupBoundary.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_FORMGROUPSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// Turns one planned group into a smp.group op.
class GroupOutliner {
public:
  GroupOutliner(const GroupPlan &plan, const Group &group)
      : plan(plan), group(group) {}

  void outline() {
    GroupBoundary boundary = boundaryOf(plan, group);
    SmallVector<Value> &results = boundary.results;
    OpBuilder b(group.ops.back());
    SmallVector<Location> locations;
    for (Operation *op : group.ops)
      locations.push_back(op->getLoc());
    auto made = ir::GroupOp::create(
        b, b.getFusedLoc(locations), ValueRange(results).getTypes(),
        group.strategy, boundary.inputs.getArrayRef());
    if (group.placement)
      made->setAttr(ir::kPlacementAttr, group.placement);
    if (group.phase != ir::Unit::Forward)
      made->setAttr(ir::kUnitAttr,
                    ir::UnitAttr::get(b.getContext(), group.phase));
    fillBody(b, made, boundary);
    for (auto [old, replacement] : llvm::zip(results, made.getResults()))
      old.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        return takesFromOutside(plan, group, use.getOwner());
      });
  }

private:
  void fillBody(OpBuilder &b, ir::GroupOp made, const GroupBoundary &boundary) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locations(boundary.inputs.size(), made.getLoc());
    Block *body = b.createBlock(&made.getBody(), {},
                                TypeRange(made.getInputs()), locations);
    IRMapping mapping;
    mapping.map(boundary.inputs.getArrayRef(), body->getArguments());
    for (Operation *op : group.ops)
      clone(b, op, mapping);
    SmallVector<Value> returned;
    for (Value result : boundary.results)
      returned.push_back(mapping.lookup(result));
    ir::ReturnOp::create(b, made.getLoc(), returned);
  }

  void clone(OpBuilder &b, Operation *op, IRMapping &mapping) {
    ir::visitProducersFirst(
        op, [&](Value used) { return !mapping.contains(used); },
        [&](Operation *next) {
          b.clone(*next, mapping)->removeAttr(ir::kPlacementAttr);
        });
  }

  const GroupPlan &plan;
  const Group &group;
};

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
      GroupOutliner(*plan, *group).outline();
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
