// SPDX-License-Identifier: Apache-2.0
// Between element types, by instructions that every level has.

#include "Num.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "smp/codegen/MathLibrary.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace smp::codegen::math;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

/// i16 bits in the low half of i32.
static Num extend(OpBuilder &b, Location loc, Value x) {
  Type type = withElement(x.getType(), b.getI32Type());
  return {&b, loc, arith::ExtUIOp::create(b, loc, type, x)};
}

static Value truncate(Num x) {
  Type type = withElement(x.type(), x.builder->getI16Type());
  return arith::TruncIOp::create(*x.builder, x.location, type, x);
}

static Num compare(arith::CmpIPredicate predicate, Num a, int64_t b) {
  return a.with(arith::CmpIOp::create(*a.builder, a.location, predicate, a,
                                      a.integer(b)));
}

namespace smp::codegen {

Value emitBF16ToF32(OpBuilder &b, Location loc, Value x) {
  return fromBits(shiftLeft(extend(b, loc, x), 16));
}

Value emitF32ToBF16(OpBuilder &b, Location loc, Value x) {
  Num number{&b, loc, x};
  Num all = bits(number);
  Num upper = shiftRight(all, 16);
  // Just below half a place, and one more where the result would be odd.
  Num rounded =
      shiftRight(all + ((upper & all.integer(1)) + all.integer(0x7fff)), 16);
  return truncate(select(isNaN(number), upper | all.integer(0x40), rounded));
}

Value emitF16ToF32(OpBuilder &b, Location loc, Value x) {
  Num half = extend(b, loc, x);
  Num sign = shiftLeft(half & half.integer(0x8000), 16);
  Num magnitude = shiftLeft(half & half.integer(0x7fff), 13);
  // Exponents move by the difference of the biases; the greatest stays it.
  Num moved = magnitude + half.integer((127 - 15) << 23);
  Num infinite = compare(arith::CmpIPredicate::sgt, magnitude, 0x0f7fffff);
  moved = select(infinite, moved + half.integer((128 - 16) << 23), moved);
  // A subnormal's bits under the least normal exponent, less that number.
  Num subnormal = compare(arith::CmpIPredicate::slt, magnitude, 0x00800000);
  Num exact = fromBits(magnitude + half.integer((127 - 14) << 23)) - 0x1p-14;
  return fromBits(select(subnormal, bits(exact), moved) | sign);
}

Value emitF32ToF16(OpBuilder &b, Location loc, Value x) {
  Num all = bits({&b, loc, x});
  Num sign = shiftRight(all, 16) & all.integer(0x8000);
  Num magnitude = all & all.integer(0x7fffffff);
  // Normal results: move the exponent, round as for bf16.
  Num odd = shiftRight(magnitude, 13) & all.integer(1);
  Num normal =
      shiftRight(magnitude + odd + all.integer(0xfff - ((127 - 15) << 23)), 13);
  // Subnormal ones: an addition in whose last place the result's last place is.
  Num small = bits(fromBits(magnitude) + 0.5) - all.integer(0x3f000000);
  Num result = select(compare(arith::CmpIPredicate::slt, magnitude, 113 << 23),
                      small, normal);
  // From 65520 on: infinite. NaN keeps the top of its payload.
  result = select(compare(arith::CmpIPredicate::sgt, magnitude, 0x477fefff),
                  all.integer(0x7c00), result);
  Num nan =
      (shiftRight(magnitude, 13) & all.integer(0x3ff)) | all.integer(0x7e00);
  result = select(compare(arith::CmpIPredicate::sgt, magnitude, 0x7f800000),
                  nan, result);
  return truncate(result | sign);
}

/// f64 to f32 so that narrowing the result once more rounds as narrowing x
/// does: towards zero, the last bit standing for all that is lost.
static Num toF32ForNarrowing(Num x) {
  Num nearest = toF32(x);
  Num back = toF64(nearest);
  auto mask = [&](Num condition) {
    Num ones = bits(nearest).integer(1);
    return select(condition, ones, ones.integer(0));
  };
  Num down = bits(nearest) - mask(abs(back) > abs(x));
  Num lost = mask((back < x) | (back > x));
  return fromBits(down | lost);
}

Value emitF64ToBF16(OpBuilder &b, Location loc, Value x) {
  return emitF32ToBF16(b, loc, toF32ForNarrowing({&b, loc, x}));
}

Value emitF64ToF16(OpBuilder &b, Location loc, Value x) {
  return emitF32ToF16(b, loc, toF32ForNarrowing({&b, loc, x}));
}

Value emitFromF64(OpBuilder &b, Location loc, Value x, Type element) {
  if (element.isF64())
    return x;
  if (element.isBF16())
    return emitBF16ToF32(b, loc, emitF64ToBF16(b, loc, x));
  if (element.isF16())
    return emitF16ToF32(b, loc, emitF64ToF16(b, loc, x));
  return toF32({&b, loc, x});
}

Value emitFloatToInt(OpBuilder &b, Location loc, Value x, unsigned width,
                     bool isSigned) {
  Num number{&b, loc, x};
  // Converted at least as i32: narrower conversions are not instructions.
  Type type = withElement(x.getType(), b.getIntegerType(width));
  unsigned wide = width < 32 ? 32 : width;
  Type wideType = withElement(x.getType(), b.getIntegerType(wide));
  const double end = std::ldexp(1.0, int(isSigned ? width - 1 : width));
  const double start = isSigned ? -end : 0;
  Num inside = (number < end) & (number > start);
  Num safe = select(inside, number, 0.0);
  Value converted;
  if (isSigned || width < 32)
    converted = arith::FPToSIOp::create(b, loc, wideType, safe);
  else
    converted = arith::FPToUIOp::create(b, loc, wideType, safe);
  if (wide != width)
    converted = arith::TruncIOp::create(b, loc, type, converted);
  auto constant = [&](llvm::APInt value) {
    TypedAttr attribute = IntegerAttr::get(b.getIntegerType(width), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = SplatElementsAttr::get(vector, attribute);
    return number.with(arith::ConstantOp::create(b, loc, attribute));
  };
  Num greatest = constant(isSigned ? llvm::APInt::getSignedMaxValue(width)
                                   : llvm::APInt::getMaxValue(width));
  Num least = constant(isSigned ? llvm::APInt::getSignedMinValue(width)
                                : llvm::APInt::getZero(width));
  Num result = select(number > start, number.with(converted), least);
  result = select(number < end, result, greatest);
  return select(isNaN(number), constant(llvm::APInt::getZero(width)), result);
}

/// An integer of 64 bits that f64 holds and that rounds to every narrower float
/// as x does: beyond 2^53, a bit that those do not have stands for the last 12.
static Num forNarrowing(Num x, bool isSigned) {
  const int64_t lost = 0xfff, start = int64_t(1) << 53;
  const Num exact =
      compare(arith::CmpIPredicate::ult, isSigned ? x + x.integer(start) : x,
              isSigned ? 2 * start : start);
  const Num kept = x & x.integer(~lost);
  const Num isKept = compare(arith::CmpIPredicate::eq, x & x.integer(lost), 0);
  return select(exact, x, select(isKept, x, kept | x.integer(lost + 1)));
}

Value emitIntToFloat(OpBuilder &b, Location loc, Value x, Type element,
                     bool isSigned) {
  const unsigned bits = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  auto convert = [&](Value from, Type to) -> Value {
    Type type = withElement(from.getType(), to);
    if (isSigned)
      return arith::SIToFPOp::create(b, loc, type, from);
    return arith::UIToFPOp::create(b, loc, type, from);
  };
  // Those of fewer bits, and all that are not infinite in f16, f32 has.
  if (!element.isBF16() || bits < 32)
    return convert(x, element.isF64() ? element : b.getF32Type());
  const Value narrow = bits < 64 ? x : forNarrowing({&b, loc, x}, isSigned);
  return emitFromF64(b, loc, convert(narrow, b.getF64Type()), element);
}

} // namespace smp::codegen
