// SPDX-License-Identifier: Apache-2.0
// Elementwise groups that one other group reads: their elements are computed
// where they are read. An update's moments and the parameter are one kernel.

#include "smp/ir/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/fusion/GroupPlan.h"

using namespace mlir;

namespace smp::passes {

static ArrayRef<int64_t> shapeOf(Operation *op) {
  return ir::tensorOf(op->getResult(0)).getShape();
}

/// Whether every op gives elements of the group's shape from elements at the
/// same place.
static bool isElementwise(const Group &group) {
  return llvm::all_of(group.ops, [&](Operation *op) {
    return op->hasTrait<ir::trait::Elementwise>() &&
           shapeOf(op) == ArrayRef(group.shape);
  });
}

/// The group whose elementwise ops are all that computes with results of
/// `group`, each element at its own place; null when there is none. A loop may
/// also give what is only written somewhere, as a variable's new value; all
/// that a product gives follows from its sums.
Group *GroupPlan::onlyReader(const Group &group) const {
  Group *reader = nullptr;
  bool leaves = false;
  for (Operation *op : group.ops)
    for (Operation *user : op->getUsers()) {
      Group *its = groupOf(user);
      if (its == &group)
        continue;
      if (!its && user->getNumResults() == 0) {
        leaves = true;
        continue;
      }
      if (!its || (reader && its != reader) ||
          !user->hasTrait<ir::trait::Elementwise>() ||
          shapeOf(user) != ArrayRef(group.shape))
        return nullptr;
      reader = its;
    }
  const bool fits =
      !leaves || (reader && reader->strategy == ir::Strategy::Loop);
  return fits ? reader : nullptr;
}

/// No cycle can come of it: whoever depends on an absorbed group did so through
/// the one that absorbs it.
void GroupPlan::absorbProducers() {
  for (auto &group : llvm::reverse(all)) {
    if (group->strategy != ir::Strategy::Loop || !isElementwise(*group))
      continue;
    Group *reader = onlyReader(*group);
    const bool computesElements =
        reader && (reader->strategy == ir::Strategy::Loop ||
                   ir::keepsSums(reader->strategy));
    if (!computesElements || !areTogether(*reader, group->ops.front()) ||
        !reader->target.fuses(reader->strategy) ||
        reader->ops.size() + group->ops.size() >
            size_t(reader->target.getGroupOps()))
      continue;
    for (Operation *op : group->ops)
      of[op] = reader;
    llvm::append_range(reader->ops, group->ops);
    llvm::sort(reader->ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    group->ops.clear();
  }
  llvm::erase_if(all, [](auto &group) { return group->ops.empty(); });
}

} // namespace smp::passes
