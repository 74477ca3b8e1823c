// SPDX-License-Identifier: Apache-2.0
// What several rules for axes share.

#ifndef SMP_IR_AXES_RULES_H
#define SMP_IR_AXES_RULES_H

#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"

namespace smp::ir {

/// Of an op that works along dimension `axis` of its operand: every other
/// dimension is an axis, in the same place in all results.
OpAxes axesBeside(mlir::Operation *op, int64_t axis);

} // namespace smp::ir

#endif // SMP_IR_AXES_RULES_H
