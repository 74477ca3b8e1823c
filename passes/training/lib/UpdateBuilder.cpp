// SPDX-License-Identifier: Apache-2.0
#include "UpdateBuilder.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

UpdateBuilder::UpdateBuilder(EntryOp entry, OriginNumbers &origins)
    : entry(entry), module(entry->getParentOfType<ModuleOp>()),
      builder(entry.getBody().front().getTerminator()),
      location(entry.getLoc()), origins(origins) {
  builder.setListener(this);
}

void UpdateBuilder::beginPart(Location newLocation) {
  location = partOf(newLocation);
  current = origins.fresh();
}

UpdateBuilder::Within::Within(UpdateBuilder &builder, int64_t part)
    : builder(builder), before(builder.current) {
  builder.current = part;
}
UpdateBuilder::Within::~Within() { builder.current = before; }

void UpdateBuilder::notifyOperationInserted(Operation *op,
                                            OpBuilder::InsertPoint) {
  if (isa<VariableOp>(op))
    return;
  op->setAttr(kUnitAttr, ir::UnitAttr::get(op->getContext(), Unit::Update));
  op->setAttr(kOriginAttr, builder.getI64IntegerAttr(current));
}

Value UpdateBuilder::convert(Value x, Type element) {
  auto type = tensorOf(x);
  if (type.getElementType() == element)
    return x;
  return make<ConvertOp>(type.clone(element), x);
}

Value UpdateBuilder::spread(Value scalar, Value like) {
  return make<BroadcastOp>(like.getType(), scalar, ArrayRef<int64_t>());
}

Value UpdateBuilder::read(VariableOp variable) {
  return make<ReadOp>(variable.getType(), variable.getSymName());
}

void UpdateBuilder::assignAlways(VariableOp variable, Value value) {
  AssignOp::create(builder, location, variable.getSymName(), value);
}

void UpdateBuilder::assign(VariableOp variable, Value value) {
  if (guard) {
    auto type = tensorOf(value);
    Value condition = type.getRank() == 0
                          ? guard
                          : make<BroadcastOp>(type.clone(builder.getI1Type()),
                                              guard, ArrayRef<int64_t>());
    value = make<SelectOp>(condition, value, read(variable));
  }
  assignAlways(variable, value);
}

FailureOr<VariableOp> UpdateBuilder::variable(const Twine &name,
                                              RankedTensorType type,
                                              VariableKind kind,
                                              double initial) {
  std::string symbol = name.str();
  auto first = SplatAttr::get(builder.getContext(), APFloat(initial));
  if (auto found = module.lookupSymbol<VariableOp>(symbol)) {
    bool isSplat = isa<SplatAttr>(found.getInitializer());
    if (found.getType() == type && found.getKind() == kind &&
        (!isSplat || found.getInitializer() == first))
      return found;
    return found.emitOpError()
           << "is '" << symbol << "', which the optimizer of entry '"
           << entry.getSymName() << "' has as " << stringifyVariableKind(kind)
           << " : " << type << " = " << first
           << "; make it so, or give this one another name";
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entry);
  return VariableOp::create(builder, location, symbol, kind, first, type);
}

LogicalResult UpdateBuilder::addResult(StringRef name, Value value) {
  NamedAttribute attribute(kNameAttr, builder.getStringAttr(name));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (entry.getResultAttr(i, kNameAttr) == attribute.getValue())
      return entry.emitOpError()
             << "has a result '" << name
             << "', which is what its optimizer calls one; give it another "
                "name";
  if (failed(entry.insertResult(entry.getNumResults(), value.getType(),
                                builder.getDictionaryAttr(attribute))))
    return failure();
  Operation *end = entry.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), value);
  return success();
}

} // namespace smp::passes
