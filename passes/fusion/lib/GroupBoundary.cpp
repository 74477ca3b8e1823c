// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/fusion/GroupBoundary.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Strategy.h"

using namespace mlir;

namespace smp::passes {

bool takesFromOutside(const GroupPlan &plan, const Group &group,
                      Operation *user) {
  SmallVector<Operation *> users{user};
  while (!users.empty()) {
    Operation *next = users.pop_back_val();
    if (plan.groupOf(next) == &group ||
        next->getParentOp() != group.ops.front()->getParentOp())
      continue;
    if (!plan.isInlined(next) || plan.groupOf(next))
      return true;
    users.append(next->user_begin(), next->user_end());
  }
  return false;
}

GroupBoundary boundaryOf(const GroupPlan &plan, const Group &group) {
  GroupBoundary boundary;
  auto isMember = [&](Operation *op) {
    return op && plan.groupOf(op) == &group;
  };
  for (Operation *op : group.ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return takesFromOutside(plan, group, user);
          }))
        boundary.results.push_back(result);
  llvm::SmallPtrSet<Operation *, 8> views;
  for (Operation *op : group.ops)
    for (Value source : op->getOperands()) {
      for (Operation *view = source.getDefiningOp();
           view && plan.isInlined(view) && !isMember(view) &&
           !ir::takesMemory(op);
           view = source ? source.getDefiningOp() : nullptr) {
        views.insert(view);
        source = view->getNumOperands() ? view->getOperand(0) : Value();
      }
      if (source && !isMember(source.getDefiningOp()))
        boundary.inputs.insert(source);
    }
  boundary.body.assign(group.ops.begin(), group.ops.end());
  boundary.body.append(views.begin(), views.end());
  llvm::sort(boundary.body,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return boundary;
}

bool readsInPlace(ir::Strategy strategy, ArrayRef<Operation *> ops,
                  ArrayRef<int64_t> shape, Value value) {
  if (strategy != ir::Strategy::Loop)
    return false;
  llvm::DenseSet<Value> reached{value};
  for (Operation *op : ops) {
    if (llvm::none_of(
            op->getOperands(),
            [&](Value operand) { return reached.contains(operand); }) ||
        isa<ir::StatisticsOp>(op)) // Of what is there already, or made.
      continue;
    reached.insert_range(op->getResults());
    if (!op->hasTrait<ir::trait::Elementwise>() ||
        cast<RankedTensorType>(op->getResult(0).getType()).getShape() != shape)
      return false;
  }
  return true;
}

} // namespace smp::passes
