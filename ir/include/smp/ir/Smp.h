// SPDX-License-Identifier: Apache-2.0
// The smp dialect in C++: dialect, attributes, ops.

#ifndef SMP_IR_SMP_H
#define SMP_IR_SMP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "smp/ir/Axes.h"
#include "smp/ir/Role.h"

namespace smp::ir {
class GradientBuilder; // smp/ir/Gradient.h

/// One operation per result element.
double defaultFlops(mlir::Operation *op);

namespace trait {
/// One result element depends on the operands' elements at the same index only.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
public:
  OpAxes getAxes() { return elementwiseAxes(this->getOperation()); }
};
} // namespace trait
} // namespace smp::ir

#include "smp/ir/SmpDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "smp/ir/SmpAttributes.h.inc"
#include "smp/ir/SmpInterfaces.h.inc"
#define GET_OP_CLASSES
#include "smp/ir/SmpOps.h.inc"

#endif // SMP_IR_SMP_H
