// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/ProducerWalk.h"

using namespace mlir;

namespace smp::ir {

void visitProducersFirst(Operation *root,
                         llvm::function_ref<bool(Value)> enters,
                         llvm::function_ref<void(Operation *)> visit) {
  struct Frame {
    Operation *op;
    unsigned next; ///< The operand to follow.
  };
  SmallVector<Frame> path{{root, 0}};
  while (!path.empty()) {
    auto &[op, next] = path.back();
    if (next == op->getNumOperands()) {
      visit(op);
      path.pop_back();
      continue;
    }
    Value operand = op->getOperand(next++);
    Operation *producer = operand.getDefiningOp();
    if (producer && enters(operand))
      path.push_back({producer, 0});
  }
}

} // namespace smp::ir
