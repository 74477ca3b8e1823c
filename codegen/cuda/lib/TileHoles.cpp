// SPDX-License-Identifier: Apache-2.0
// What stands in a tile for elements that do not exist, which are told from
// those that do: a NaN that nothing else is.

#include "Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// All bits set, for each element of `type`.
static Value allOnes(ElementEmitter &emitter, Type type) {
  const unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto pattern = APInt::getAllOnes(bits);
  TypedAttr one;
  if (auto number = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
    one = FloatAttr::get(number, APFloat(number.getFloatSemantics(), pattern));
  else
    one = IntegerAttr::get(getElementTypeOrSelf(type), pattern);
  if (auto vector = dyn_cast<VectorType>(type))
    one = DenseElementsAttr::get(vector, Attribute(one));
  return arith::ConstantOp::create(emitter.builder, emitter.location, one);
}

Value TileSide::hole(Type type) const {
  if (side.hasHoles)
    return allOnes(emitter, type);
  return arith::ConstantOp::create(emitter.builder, emitter.location,
                                   emitter.builder.getZeroAttr(type));
}

/// The same bits as integers.
static Value bitsOf(ElementEmitter &emitter, Value value) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (isa<IntegerType>(element))
    return value;
  Type bits = emitter.builder.getIntegerType(element.getIntOrFloatBitWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  return arith::BitcastOp::create(emitter.builder, emitter.location, bits,
                                  value);
}

/// Another NaN in the place of the one that stands for holes.
Value TileSide::keptFromHoles(Value value) const {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Value bits = bitsOf(emitter, value), mark = allOnes(emitter, bits.getType());
  Value one = arith::ConstantOp::create(
      b, loc,
      isa<VectorType>(bits.getType())
          ? TypedAttr(DenseElementsAttr::get(
                cast<VectorType>(bits.getType()),
                b.getIntegerAttr(getElementTypeOrSelf(bits.getType()), 1)))
          : TypedAttr(b.getIntegerAttr(bits.getType(), 1)));
  Value isMark =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, mark);
  Value other = arith::ShRUIOp::create(b, loc, mark, one);
  Value kept = arith::SelectOp::create(b, loc, isMark, other, bits);
  return kept.getType() == value.getType()
             ? kept
             : arith::BitcastOp::create(b, loc, value.getType(), kept);
}

SmallVector<Value> TileSide::exist(const Index &step, int64_t k) const {
  SmallVector<Value> values = takeStored(step, k);
  for (Value &value : values) {
    Value bits = bitsOf(emitter, value);
    value = arith::CmpIOp::create(emitter.builder, emitter.location,
                                  arith::CmpIPredicate::ne, bits,
                                  allOnes(emitter, bits.getType()));
  }
  return values;
}

} // namespace smp::codegen::cuda
