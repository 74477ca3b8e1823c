// SPDX-License-Identifier: Apache-2.0
#include "WideConcats.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Target.h"
#include "smp/passes/fusion/GroupPlan.h"
#include "smp/passes/kernels/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_FORMGROUPSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// Turns one planned group into a smp.group op.
class GroupOutliner {
public:
  GroupOutliner(const GroupPlan &plan, const Group &group)
      : plan(plan), group(group) {
    members.insert(group.ops.begin(), group.ops.end());
  }

  void outline() {
    SmallVector<Value> results;
    for (Operation *op : group.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return isOutside(user); }))
          results.push_back(result);
    for (Operation *op : group.ops)
      collectInputs(op);
    OpBuilder b(group.ops.back());
    SmallVector<Location> locations;
    for (Operation *op : group.ops)
      locations.push_back(op->getLoc());
    auto made = ir::GroupOp::create(b, b.getFusedLoc(locations),
                                    ValueRange(results).getTypes(),
                                    group.strategy, inputs.getArrayRef());
    if (group.placement)
      made->setAttr(ir::kPlacementAttr, group.placement);
    if (group.phase != ir::Unit::Forward)
      made->setAttr(ir::kUnitAttr,
                    ir::UnitAttr::get(b.getContext(), group.phase));
    fillBody(b, made, results);
    for (auto [old, replacement] : llvm::zip(results, made.getResults()))
      old.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        return isOutside(use.getOwner());
      });
  }

private:
  /// Whether a user of the group's values takes them from outside. Views of
  /// them inside the group's copies do not; other groups copy views for
  /// themselves.
  bool isOutside(Operation *user) {
    SmallVector<Operation *> users{user};
    while (!users.empty()) {
      Operation *next = users.pop_back_val();
      if (members.contains(next) ||
          next->getParentOp() != group.ops.front()->getParentOp())
        continue;
      if (!plan.isInlined(next) || plan.groupOf(next))
        return true;
      users.append(next->user_begin(), next->user_end());
    }
    return false;
  }

  void collectInputs(Operation *op) {
    for (Value operand : op->getOperands()) {
      Value source = operand;
      while (source && isInlinedInto(source, op)) {
        Operation *view = source.getDefiningOp();
        source = view->getNumOperands() ? view->getOperand(0) : Value();
      }
      if (source && !members.contains(source.getDefiningOp()))
        inputs.insert(source);
    }
  }

  /// Whether the group takes a copy of the view that makes `value`.
  bool isInlinedInto(Value value, Operation *user) const {
    Operation *maker = value.getDefiningOp();
    return maker && plan.isInlined(maker) && !members.contains(maker) &&
           !ir::takesMemory(user);
  }

  void fillBody(OpBuilder &b, ir::GroupOp made, ArrayRef<Value> results) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locations(inputs.size(), made.getLoc());
    Block *body = b.createBlock(&made.getBody(), {},
                                TypeRange(made.getInputs()), locations);
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body->getArguments());
    for (Operation *op : group.ops)
      clone(b, op, mapping);
    SmallVector<Value> returned;
    for (Value result : results)
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
  llvm::SmallPtrSet<Operation *, 8> members;
  llvm::SetVector<Value> inputs;
};

/// What the assign's value is computed from by copies and arithmetic that
/// nothing else needs.
llvm::SetVector<Operation *> chainOf(ir::AssignOp assign) {
  llvm::SetVector<Operation *> chain;
  chain.insert(assign);
  for (size_t i = 0; i < chain.size(); ++i)
    for (Value operand : chain[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && ir::getPhase(producer) == ir::getPhase(assign) &&
          (producer->hasTrait<ir::trait::Elementwise>() ||
           isa<ir::ReadOp, ir::ReshapeOp, ir::TransposeOp, ir::BroadcastOp>(
               producer)) &&
          llvm::all_of(producer->getUsers(),
                       [&](Operation *user) { return chain.contains(user); }))
        chain.insert(producer);
    }
  return chain;
}

/// Adds gradients to sums over microbatches where they are made: they need not
/// wait in memory for the end.
void hoistSums(Block &block) {
  for (auto assign : llvm::to_vector(block.getOps<ir::AssignOp>())) {
    if (ir::getPhase(assign) != ir::Unit::BackwardInput)
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

/// Whether the op is there to be decomposed: the target does not keep it whole.
bool isToBeDecomposed(Operation *op) {
  return isa<ir::DecomposeOpInterface>(op) && !ir::targetOf(op).keepsWhole(op);
}

/// Fails at an op that no kernel computes.
LogicalResult checkComputable(Block &block) {
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

struct FormGroups : impl::FormGroupsPassBase<FormGroups> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      if (!isa<ir::EntryOp, ir::StageOp>(op))
        continue;
      if (failed(checkComputable(op.getRegion(0).front())))
        return signalPassFailure();
      form(op.getRegion(0).front());
    }
  }

  void form(Block &block) {
    splitWideConcats(block);
    hoistSums(block);
    GroupPlan plan(block);
    for (const auto &group : plan.groups())
      GroupOutliner(plan, *group).outline();
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
