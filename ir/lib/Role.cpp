// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Role.h"
#include "smp/ir/Smp.h"

using namespace mlir;

namespace smp::ir {

OpRole roleOf(Operation *op) {
  auto withRole = dyn_cast<RoleOpInterface>(op);
  return withRole ? withRole.getRole() : OpRole::Compute;
}

bool isSource(Operation *op) { return roleOf(op) == OpRole::Source; }

bool isView(Operation *op) {
  const OpRole role = roleOf(op);
  return role == OpRole::Alias || role == OpRole::Virtual;
}

Value aliased(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (roleOf(op) != OpRole::Alias)
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isFree(Operation *op) {
  return isView(op) || isSource(op) || roleOf(op) == OpRole::Control;
}

/// Whether the op is a constant of equal elements.
static bool isSplat(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat();
}

bool isVirtual(Operation *op) {
  return roleOf(op) == OpRole::Virtual || isSplat(op);
}

bool needsNoKernel(Operation *op) {
  switch (roleOf(op)) {
  case OpRole::Source:
    return !isSplat(op);
  case OpRole::Alias:
  case OpRole::Write:
  case OpRole::Control:
    return true;
  case OpRole::Compute:
  case OpRole::Movement:
  case OpRole::Virtual:
  case OpRole::Request:
  case OpRole::Declaration:
    return false;
  }
  llvm_unreachable("every role is one of these");
}

} // namespace smp::ir
