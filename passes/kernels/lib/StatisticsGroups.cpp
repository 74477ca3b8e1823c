// SPDX-License-Identifier: Apache-2.0
#include "StatisticsGroups.h"
#include "smp/ir/Role.h"

using namespace mlir;

namespace smp::passes {

ir::StatisticsOp statisticsOf(Operation *op) {
  auto group = dyn_cast<ir::GroupOp>(op);
  if (!group || group.getStrategy() != ir::Strategy::Whole)
    return {};
  auto found = group.getBody().getOps<ir::StatisticsOp>();
  return llvm::hasSingleElement(found) ? *found.begin() : ir::StatisticsOp();
}

SmallVector<Value> namesOf(Value value) {
  SmallVector<Value> names{value};
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : Value(names[i]).getUsers())
      if (ir::roleOf(user) == ir::OpRole::Alias)
        names.push_back(user->getResult(0));
  return names;
}

void bringBehind(Operation *op, Value value) {
  for (Operation *user : value.getUsers())
    if (user->isBeforeInBlock(op)) {
      user->moveAfter(op);
      bringBehind(user, user->getResult(0));
    }
}

} // namespace smp::passes
