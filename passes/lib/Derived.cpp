// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Derived.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"

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
  ir::visitProducersFirst(
      op, [&](Value used) { return !known.contains(used.getDefiningOp()); },
      [&](Operation *next) { known[next] = find(next); });
  return known.lookup(op);
}

/// Once it is known of all operands.
DerivedValues::Kind DerivedValues::find(Operation *op) const {
  if (auto read = dyn_cast<ir::ReadOp>(op))
    return assigned.contains(read.getVariableAttr().getAttr()) ? Kind::Varying
                                                               : Kind::Variable;
  if (isa<ir::PreparedOp>(op))
    return Kind::Variable;
  if (!isPure(op))
    return Kind::Varying;
  Kind kind = Kind::Constant;
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    kind = std::max(kind, producer ? known.lookup(producer) : Kind::Varying);
  }
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
