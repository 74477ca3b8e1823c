// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/RowPlan.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

RowPlan::RowPlan(ir::GroupOp group) {
  ir::ReduceOp first = *group.getBody().getOps<ir::ReduceOp>().begin();
  shape = llvm::to_vector(tensorOf(first.getInput()).getShape());
  outerDims = int64_t(shape.size() - first.getDimensions().size());
  auto add = [&](bool reduced, int64_t &count) {
    for (auto [dim, size] : llvm::enumerate(shape))
      if (llvm::is_contained(first.getDimensions(), int64_t(dim)) == reduced) {
        dims.push_back(int64_t(dim));
        count *= size;
      }
  };
  add(/*reduced=*/false, rows);
  add(/*reduced=*/true, columns);
  findWalks(group);
  findSaved(group);
}

/// An op belongs to the first walk before which all reductions it needs are
/// done.
void RowPlan::findWalks(ir::GroupOp group) {
  for (Operation &op : group.getBody().front().without_terminator()) {
    unsigned walk = 0;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        walk = std::max(walk, walkOf.lookup(producer));
    if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
      walks.resize(std::max<size_t>(walks.size(), walk + 1));
      walks[walk].push_back(reduce);
      ++walk;
    }
    walkOf[&op] = walk;
  }
}

void RowPlan::findSaved(ir::GroupOp group) {
  saved.resize(walks.size());
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (!isDear(&op) || tensorOf(op.getResult(0)).getShape() != ArrayRef(shape))
      continue;
    unsigned walk = walkOf[&op];
    bool reducedHere = false, neededLater = false;
    for (Operation *user : op.getUsers()) {
      bool here = isa<ir::ReduceOp>(user) && walkOf[user] == walk + 1;
      (here ? reducedHere : neededLater) = true;
    }
    if (reducedHere && neededLater)
      saved[walk].push_back(op.getResult(0));
  }
}

} // namespace smp::codegen
