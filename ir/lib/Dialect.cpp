// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"

using namespace mlir;
using namespace smp::ir;

#include "smp/ir/SmpDialect.cpp.inc"
#include "smp/ir/SmpInterfaces.cpp.inc"

void SmpDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "smp/ir/SmpOps.cpp.inc"
      >();
}

Operation *SmpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}

LogicalResult SmpDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kPlacementAttr &&
      !isa<PlacementAttr>(attribute.getValue()))
    return op->emitOpError() << kPlacementAttr << " is " << attribute.getValue()
                             << "; write #smp.placement<0, user>";
  if (attribute.getName() == kPartitionsAttr) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!count || count.getInt() < 1)
      return op->emitOpError() << kPartitionsAttr << " is "
                               << attribute.getValue() << "; it must be >= 1";
  }
  return success();
}

double smp::ir::defaultFlops(Operation *op) {
  double elements = 0;
  for (Type type : op->getResultTypes())
    elements += double(cast<ShapedType>(type).getNumElements());
  return elements;
}
