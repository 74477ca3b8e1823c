// SPDX-License-Identifier: Apache-2.0
#include "Num.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;

namespace smp::codegen::math {

/// `type` with other elements: a vector of them, or one.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Num splat(Num like, Type type, TypedAttr element) {
  TypedAttr attribute = element;
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = SplatElementsAttr::get(vector, element);
  return like.with(
      arith::ConstantOp::create(*like.builder, like.location, attribute));
}

Type Num::element() const { return getElementTypeOrSelf(value.getType()); }

Num Num::constant(double number) const {
  return splat(*this, type(), FloatAttr::get(element(), number));
}

Num Num::integer(int64_t number) const {
  Type integers = builder->getIntegerType(element().getIntOrFloatBitWidth());
  return splat(*this, withElement(type(), integers),
               IntegerAttr::get(integers, number));
}

template <typename Op, typename... Operands>
static Num make(Num first, Operands... operands) {
  return first.with(Op::create(*first.builder, first.location, operands...));
}

template <typename FloatOp, typename IntOp>
static Num makeEither(Num a, Num b) {
  if (isa<FloatType>(a.element()))
    return make<FloatOp>(a, a.value, b.value);
  return make<IntOp>(a, a.value, b.value);
}

Num operator+(Num a, Num b) {
  return makeEither<arith::AddFOp, arith::AddIOp>(a, b);
}
Num operator-(Num a, Num b) {
  return makeEither<arith::SubFOp, arith::SubIOp>(a, b);
}
Num operator*(Num a, Num b) {
  return makeEither<arith::MulFOp, arith::MulIOp>(a, b);
}
Num operator/(Num a, Num b) { return make<arith::DivFOp>(a, a.value, b.value); }
Num operator-(Num a) { return make<arith::NegFOp>(a, a.value); }

static Num compare(arith::CmpFPredicate predicate, Num a, Num b) {
  return make<arith::CmpFOp>(a, predicate, a.value, b.value);
}
Num operator<(Num a, Num b) { return compare(arith::CmpFPredicate::OLT, a, b); }
Num operator>(Num a, Num b) { return compare(arith::CmpFPredicate::OGT, a, b); }
Num unequal(Num a, Num b) { return compare(arith::CmpFPredicate::UNE, a, b); }
Num isNaN(Num a) { return compare(arith::CmpFPredicate::UNO, a, a); }
Num equal(Num a, Num b) {
  if (isa<FloatType>(a.element()))
    return compare(arith::CmpFPredicate::OEQ, a, b);
  return make<arith::CmpIOp>(a, arith::CmpIPredicate::eq, a.value, b.value);
}

Num operator&(Num a, Num b) { return make<arith::AndIOp>(a, a.value, b.value); }
Num operator|(Num a, Num b) { return make<arith::OrIOp>(a, a.value, b.value); }
Num operator^(Num a, Num b) { return make<arith::XOrIOp>(a, a.value, b.value); }
Num shiftLeft(Num a, int64_t bits) {
  return make<arith::ShLIOp>(a, a.value, a.integer(bits).value);
}
Num shiftRight(Num a, int64_t bits) {
  return make<arith::ShRUIOp>(a, a.value, a.integer(bits).value);
}

Num select(Num condition, Num a, Num b) {
  return make<arith::SelectOp>(a, condition.value, a.value, b.value);
}

template <typename Op, typename... Operands>
static Num makeIntrinsic(Num first, Operands... operands) {
  return make<Op>(first, first.type(), operands...);
}

Num fma(Num a, Num b, Num c) {
  return makeIntrinsic<LLVM::FMulAddOp>(a, a.value, b.value, c.value);
}
Num abs(Num a) { return makeIntrinsic<LLVM::FAbsOp>(a, a.value); }
Num sqrt(Num a) { return makeIntrinsic<LLVM::SqrtOp>(a, a.value); }
Num floor(Num a) { return makeIntrinsic<LLVM::FFloorOp>(a, a.value); }
Num ceil(Num a) { return makeIntrinsic<LLVM::FCeilOp>(a, a.value); }
Num roundEven(Num a) { return makeIntrinsic<LLVM::RoundEvenOp>(a, a.value); }
Num copySign(Num a, Num b) {
  return makeIntrinsic<LLVM::CopySignOp>(a, a.value, b.value);
}

// A comparison that NaN fails, whose other choice is x: one min or max
// instruction of x86.
Num atMost(Num x, double bound) {
  if (hasExtremes(*x.builder, x.type()))
    return x.with(emitMinimum(*x.builder, x.location, x, x.constant(bound)));
  return select(x.constant(bound) < x, bound, x);
}
Num atLeast(Num x, double bound) {
  if (hasExtremes(*x.builder, x.type()))
    return x.with(emitMaximum(*x.builder, x.location, x, x.constant(bound)));
  return select(x.constant(bound) > x, bound, x);
}

Num bits(Num a) {
  Type integers =
      a.builder->getIntegerType(a.element().getIntOrFloatBitWidth());
  return make<arith::BitcastOp>(a, withElement(a.type(), integers), a.value);
}

Num fromBits(Num a) {
  Type floats = a.element().isInteger(32) ? Type(a.builder->getF32Type())
                                          : Type(a.builder->getF64Type());
  return make<arith::BitcastOp>(a, withElement(a.type(), floats), a.value);
}

Num toF64(Num a) {
  return make<arith::ExtFOp>(a, withElement(a.type(), a.builder->getF64Type()),
                             a.value);
}

Num toF32(Num a) {
  return make<arith::TruncFOp>(
      a, withElement(a.type(), a.builder->getF32Type()), a.value);
}

Num polynomial(llvm::ArrayRef<double> c, Num x) {
  Num sum = x.constant(c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, next);
  return sum;
}

Double exactSum(Num a, Num b) {
  Num sum = a + b;
  Num second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

Double exactSumOrdered(Num a, Num b) {
  Num sum = a + b;
  return {sum, b - (sum - a)};
}

/// The upper 26 bits of f64, so that products of such numbers are exact.
static Num upperHalf(Num a) {
  return fromBits(bits(a) & a.integer(~int64_t(0x7ffffff)));
}

Double exactProduct(Num a, Num b) {
  Num product = a * b;
  Num aHigh = upperHalf(a), bHigh = upperHalf(b);
  Num aLow = a - aHigh, bLow = b - bHigh;
  Num error =
      ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow;
  return {product, error};
}

} // namespace smp::codegen::math
