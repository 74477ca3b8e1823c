// SPDX-License-Identifier: Apache-2.0
// What a group may be made of.

#ifndef SMP_IR_STRATEGY_H
#define SMP_IR_STRATEGY_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// The strategy of a kernel that is built around the op; that of an op which
/// any kernel may compute element by element is `loop`.
Strategy strategyOf(mlir::Operation *op);

/// Whether a kernel of that strategy computes elementwise ops on sums that it
/// holds in registers, before it stores them.
bool keepsSums(Strategy strategy);

/// Of a group of strategy `loop`, how many results are elements that it loops
/// over. Behind these are statistics that it takes by the way.
unsigned numElementResults(GroupOp group);

/// Whether a kernel can compute the op: neither a composite, nor a source, nor
/// what stands for the work of a pass.
bool isComputable(mlir::Operation *op);

/// Whether the op's kernel copies its operands as they lie in memory, so that
/// no view may stand for them.
bool takesMemory(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_STRATEGY_H
