// SPDX-License-Identifier: Apache-2.0
// What making an op is, whichever it is.

#include "BuilderState.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

void BuilderState::notifyOperationInserted(Operation *op,
                                           OpBuilder::InsertPoint) {
  if (!recomputes.empty() && recomputes.back() && op->getParentOp() == entry &&
      isPure(op))
    op->setAttr(kRecomputeAttr, builder.getUnitAttr());
  if (!placesOps || op->getParentOp() != entry || isa<ReturnOp>(op))
    return;
  if (std::optional<int64_t> pin = pinnedPartition())
    setPlacement(op, *pin, Origin::User);
  else if (modelDepth == 0)
    outside.push_back(op);
}

Tensor BuilderState::wrap(Value value) {
  if (!value || !status.ok())
    return {};
  return Tensor(&owner, toModel(typeOf(value)), value.getAsOpaquePointer());
}

bool BuilderState::resolve(ArrayRef<Tensor> operands,
                           SmallVectorImpl<Value> &values) {
  for (const Tensor &operand : operands) {
    if (!operand.value)
      fail("has an empty tensor as operand " + Twine(values.size()) +
           "; nothing made it");
    else if (operand.builder != &owner)
      fail("has a tensor of another builder as operand " +
           Twine(values.size()));
    if (!status.ok())
      return false;
    Value value = Value::getFromOpaquePointer(operand.value);
    auto home = cast<EntryOp>(value.getParentRegion()->getParentOp());
    if (home != entry) {
      fail("has a tensor of entry '" + home.getSymName() + "' as operand " +
           Twine(values.size()) + "; entries share variables only");
      return false;
    }
    values.push_back(value);
  }
  return true;
}

/// Whether an op may be made now; its name is told in errors from here on.
bool BuilderState::begin(StringRef mnemonic) {
  if (!isUsable())
    return false;
  needEntry();
  std::string name = uniqueName(mnemonic);
  current = "op '" + name + "'";
  emit.location = partOf(nameLoc(name));
  if (Status refusal = pinRefusal(); !refusal.ok())
    fail(refusal.message());
  return status.ok();
}

/// Gives the op that was made last for the user its name. A call that gave an
/// operand back made none.
void BuilderState::nameOp(Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || op->getLoc() != emit.location)
    return;
  StringRef name = getOriginName(op);
  opNames.insert(name);
  op->setLoc(nameLoc(name));
}

Tensor BuilderState::op(StringRef mnemonic, ArrayRef<Tensor> operands,
                        MakeOp make) {
  SmallVector<Value> values;
  if (!begin(mnemonic) || !resolve(operands, values))
    return {};
  Value result = make(emit, values);
  nameOp(result);
  return wrap(result);
}

bool BuilderState::opWithResults(
    StringRef mnemonic, ArrayRef<Tensor> operands,
    function_ref<void(Emitter &, Values, SmallVectorImpl<Value> &)> make,
    SmallVectorImpl<Tensor> &results) {
  SmallVector<Value> values, made;
  if (!begin(mnemonic) || !resolve(operands, values))
    return false;
  make(emit, values, made);
  if (made.empty() || !status.ok())
    return false;
  nameOp(made.front());
  for (Value value : made)
    results.push_back(wrap(value));
  return true;
}

Tensor BuilderState::elementwise(StringRef mnemonic, ArrayRef<Operand> operands,
                                 MakeOp make) {
  if (!begin(mnemonic))
    return {};
  SmallVector<Tensor> tensors;
  for (const Operand &operand : operands)
    if (!operand.number)
      tensors.push_back(operand.tensor);
  SmallVector<Value> given, values;
  if (tensors.empty()) {
    fail("takes two numbers; one operand must be a tensor");
    return {};
  }
  if (!resolve(tensors, given))
    return {};
  for (const Tensor &tensor : tensors)
    if (tensor.dtype() != tensors.front().dtype()) {
      fail("takes a " + toString(tensors.front().type()) + " and a " +
           toString(tensor.type()) + "; convert one to the other's type");
      return {};
    }
  size_t next = 0;
  for (const Operand &operand : operands)
    values.push_back(operand.number
                         ? emit.splat(typeOf(given.front()), *operand.number)
                         : given[next++]);
  Value result = make(emit, values);
  nameOp(result);
  return wrap(result);
}

std::optional<int64_t> BuilderState::axisOf(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return fromEnd(axis, rank);
  fail("has axis " + Twine(axis) + "; it must be in " + Twine(-rank) + ".." +
       Twine(rank - 1));
  return std::nullopt;
}

std::optional<IntVector> BuilderState::axesOf(const Axes &axes, int64_t rank) {
  IntVector result;
  for (int64_t axis : axes) {
    auto normal = axisOf(axis, rank);
    if (!normal)
      return std::nullopt;
    result.push_back(*normal);
  }
  return result;
}

} // namespace smp::frontend
