// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Derived.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::passes {

DerivedValues::DerivedValues(ModuleOp module) {
  module.walk([&](ir::AssignOp op) {
    assigned.insert(op.getVariableAttr().getAttr());
  });
}

DerivedValues::Kind DerivedValues::kindOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return Kind::Varying;
  if (auto found = known.find(op); found != known.end())
    return found->second;
  Kind kind = Kind::Constant;
  if (auto read = dyn_cast<ir::ReadOp>(op))
    kind = assigned.contains(read.getVariableAttr().getAttr()) ? Kind::Varying
                                                               : Kind::Variable;
  else if (isa<ir::PreparedOp>(op))
    kind = Kind::Variable;
  else if (!isPure(op))
    kind = Kind::Varying;
  else
    for (Value operand : op->getOperands())
      kind = std::max(kind, kindOf(operand));
  known[op] = kind;
  return kind;
}

bool DerivedValues::contains(Value value) {
  return kindOf(value) != Kind::Varying;
}

bool DerivedValues::needsVariables(Value value) {
  return kindOf(value) == Kind::Variable;
}

void DerivedValues::notifyOperationReplaced(Operation *op, ValueRange values) {
  for (Value value : values)
    if (auto constant = value.getDefiningOp<ir::ConstantOp>();
        constant && !ir::getPlacement(constant))
      ir::inherit(op, constant);
}

} // namespace smp::passes
