// SPDX-License-Identifier: Apache-2.0
// Walks to what a value is computed from, however deep that is.

#ifndef SMP_IR_PRODUCERWALK_H
#define SMP_IR_PRODUCERWALK_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// Visits what makes the operands of `root`, producers before users, and `root`
/// last. `enters` is asked for each operand that an op makes whether to visit
/// that op, and must know which have been visited. `visit` must not change
/// operands of ops that are under way. The depth is bounded by memory alone:
/// nothing recurses.
void visitProducersFirst(mlir::Operation *root,
                         llvm::function_ref<bool(mlir::Value)> enters,
                         llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace smp::ir

#endif // SMP_IR_PRODUCERWALK_H
