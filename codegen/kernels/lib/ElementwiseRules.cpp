// SPDX-License-Identifier: Apache-2.0
// One result element of an elementwise op from its operands' elements.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::codegen {

namespace {
/// Emits for one op: knows the element type and whether values are vectors.
struct Rule {
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  Type element; ///< Of the first operand, as the tensor says it.
  bool isFloating, isUnsigned;

  Rule(ElementEmitter &emitter, Operation *op)
      : emitter(emitter), b(emitter.builder), loc(emitter.location),
        element(ir::tensorOf(op->getOperand(0)).getElementType()),
        isFloating(isa<FloatType>(element)),
        isUnsigned(element.isUnsignedInteger() || element.isInteger(1)) {}

  /// A constant of the type of `like`.
  Value constant(Value like, double value) const {
    Value scalar =
        emitter.constant(getElementTypeOrSelf(like.getType()), value);
    return isa<VectorType>(like.getType()) ? emitter.broadcast(scalar) : scalar;
  }
  /// The float op for floats, else the signed or the unsigned integer op.
  template <typename F, typename S, typename U>
  Value pick(Value x, Value y) const {
    if (isFloating)
      return F::create(b, loc, x, y);
    return isUnsigned ? U::create(b, loc, x, y).getResult()
                      : S::create(b, loc, x, y).getResult();
  }
  Value select(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
};
} // namespace

static Value emitCompare(const Rule &rule, ir::Direction direction, Value x,
                         Value y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  bool isUnsigned = rule.isUnsigned;
  switch (direction) {
  case ir::Direction::EQ:
    return rule.isFloating ? rule.compare(F::OEQ, x, y)
                           : rule.compare(I::eq, x, y);
  case ir::Direction::NE:
    return rule.isFloating ? rule.compare(F::UNE, x, y)
                           : rule.compare(I::ne, x, y);
  case ir::Direction::LT:
    return rule.isFloating ? rule.compare(F::OLT, x, y)
                           : rule.compare(isUnsigned ? I::ult : I::slt, x, y);
  case ir::Direction::LE:
    return rule.isFloating ? rule.compare(F::OLE, x, y)
                           : rule.compare(isUnsigned ? I::ule : I::sle, x, y);
  case ir::Direction::GT:
    return rule.isFloating ? rule.compare(F::OGT, x, y)
                           : rule.compare(isUnsigned ? I::ugt : I::sgt, x, y);
  case ir::Direction::GE:
    return rule.isFloating ? rule.compare(F::OGE, x, y)
                           : rule.compare(isUnsigned ? I::uge : I::sge, x, y);
  }
  llvm_unreachable("unknown direction");
}

/// Integer x / y or x % y that never traps: by zero gives 0, least / -1 wraps.
template <typename S, typename U>
static Value emitIntDivision(const Rule &rule, Value x, Value y,
                             bool remainder) {
  using I = arith::CmpIPredicate;
  Value zero = rule.constant(y, 0), one = rule.constant(y, 1);
  Value byZero = rule.compare(I::eq, y, zero);
  if (rule.isUnsigned) {
    Value safe = rule.select(byZero, one, y);
    return rule.select(byZero, zero, U::create(rule.b, rule.loc, x, safe));
  }
  Value byMinusOne = rule.compare(I::eq, y, rule.constant(y, -1));
  Value special = arith::OrIOp::create(rule.b, rule.loc, byZero, byMinusOne);
  Value quotient = S::create(rule.b, rule.loc, x, rule.select(special, one, y));
  Value negated =
      remainder ? zero
                : arith::SubIOp::create(rule.b, rule.loc, zero, x).getResult();
  return rule.select(byZero, zero, rule.select(byMinusOne, negated, quotient));
}

/// x to the y by squaring; wraps. A negative y gives 0, but ±1 for x = ±1.
static Value emitIntPow(const Rule &rule, Value x, Value y) {
  OpBuilder &b = rule.b;
  Location loc = rule.loc;
  using I = arith::CmpIPredicate;
  Value one = rule.constant(x, 1), zero = rule.constant(x, 0);
  unsigned bits = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value result = one, square = x;
  for (unsigned bit = 0; bit < bits - (rule.isUnsigned ? 0 : 1); ++bit) {
    Value picked = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, y, rule.constant(y, bit)), one);
    Value product = arith::MulIOp::create(b, loc, result, square);
    result = rule.select(rule.compare(I::ne, picked, zero), product, result);
    square = arith::MulIOp::create(b, loc, square, square);
  }
  if (rule.isUnsigned)
    return result;
  Value odd = arith::AndIOp::create(b, loc, y, one);
  Value isOne = rule.compare(I::eq, x, one);
  Value minusOne = rule.constant(x, -1);
  Value isMinusOne = rule.compare(I::eq, x, minusOne);
  Value sign = rule.select(rule.compare(I::ne, odd, zero), minusOne, one);
  Value negative = rule.select(isOne, one, rule.select(isMinusOne, sign, zero));
  return rule.select(rule.compare(I::slt, y, zero), negative, result);
}

/// Shifts by y bits; y outside 0..bits-1 gives `outside`.
template <typename Op>
static Value emitShift(const Rule &rule, Value x, Value y, Value outside) {
  unsigned bits = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value limit = rule.constant(y, bits);
  Value inside = rule.compare(arith::CmpIPredicate::ult, y, limit);
  Value safe = rule.select(inside, y, rule.constant(y, 0));
  return rule.select(inside, Op::create(rule.b, rule.loc, x, safe), outside);
}

static Value emitShiftRight(const Rule &rule, Value x, Value y) {
  Value zero = rule.constant(x, 0);
  if (rule.isUnsigned)
    return emitShift<arith::ShRUIOp>(rule, x, y, zero);
  Value negative = rule.compare(arith::CmpIPredicate::slt, x, zero);
  return emitShift<arith::ShRSIOp>(
      rule, x, y, rule.select(negative, rule.constant(x, -1), zero));
}

static Value emitSign(const Rule &rule, Value x) {
  Value zero = rule.constant(x, 0), one = rule.constant(x, 1);
  if (rule.isUnsigned)
    return rule.select(rule.compare(arith::CmpIPredicate::ne, x, zero), one,
                       zero);
  Value minus = rule.constant(x, -1);
  if (!rule.isFloating)
    return rule.select(
        rule.compare(arith::CmpIPredicate::sgt, x, zero), one,
        rule.select(rule.compare(arith::CmpIPredicate::slt, x, zero), minus,
                    zero));
  // Zeros and NaN stay what they are.
  Value positive = rule.compare(arith::CmpFPredicate::OGT, x, zero);
  Value negative = rule.compare(arith::CmpFPredicate::OLT, x, zero);
  return rule.select(positive, one, rule.select(negative, minus, x));
}

static Value emitAbs(const Rule &rule, Value x) {
  if (rule.isFloating)
    return math::AbsFOp::create(rule.b, rule.loc, x);
  if (rule.isUnsigned)
    return x;
  Value zero = rule.constant(x, 0);
  Value negated = arith::SubIOp::create(rule.b, rule.loc, zero, x);
  return rule.select(rule.compare(arith::CmpIPredicate::slt, x, zero), negated,
                     x);
}

static Value emitIsInf(const Rule &rule, Value x) {
  Value infinity = rule.constant(x, std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(rule.b, rule.loc, x);
  return rule.compare(arith::CmpFPredicate::OEQ, magnitude, infinity);
}

/// Truncates or extends an integer to `width` bits.
static Value resizeInt(const Rule &rule, Value x, unsigned width) {
  Type type = rule.b.getIntegerType(width);
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    type = vector.clone(type);
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (from > width)
    return arith::TruncIOp::create(rule.b, rule.loc, type, x);
  if (rule.isUnsigned)
    return arith::ExtUIOp::create(rule.b, rule.loc, type, x);
  return arith::ExtSIOp::create(rule.b, rule.loc, type, x);
}

static Value emitConvert(const Rule &rule, ir::ConvertOp op, Value x) {
  OpBuilder &b = rule.b;
  Type to = ir::tensorOf(op).getElementType();
  if (to.isInteger(1)) {
    Value zero = rule.constant(x, 0);
    return rule.isFloating ? rule.compare(arith::CmpFPredicate::UNE, x, zero)
                           : rule.compare(arith::CmpIPredicate::ne, x, zero);
  }
  Type target = computeType(to);
  if (auto integer = dyn_cast<IntegerType>(to)) {
    if (!rule.isFloating)
      return resizeInt(rule, x, integer.getWidth());
    return emitFloatToInt(b, rule.loc, x, integer.getWidth(),
                          !integer.isUnsigned());
  }
  if (!rule.isFloating)
    return emitIntToFloat(b, rule.loc, x, to, !rule.isUnsigned);
  Type from = getElementTypeOrSelf(x.getType());
  if (from.isF64())
    return emitFromF64(b, rule.loc, x, to);
  if (from == target)
    return x;
  Type type = isa<VectorType>(x.getType())
                  ? cast<VectorType>(x.getType()).clone(target)
                  : target;
  return arith::ExtFOp::create(b, rule.loc, type, x);
}

/// The bits of x, of element type `from`, as an element of type `to`.
static Value emitBitCast(const Rule &rule, Type from, Type to, Value x) {
  OpBuilder &b = rule.b;
  if (from == to)
    return x;
  if (isa<BFloat16Type>(from))
    x = emitF32ToBF16(b, rule.loc, x);
  else if (isa<Float16Type>(from))
    x = emitF32ToF16(b, rule.loc, x);
  if (isa<BFloat16Type>(to))
    return emitBF16ToF32(b, rule.loc, x);
  if (isa<Float16Type>(to))
    return emitF16ToF32(b, rule.loc, x);
  Type type = computeType(to);
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    type = vector.clone(type);
  return x.getType() == type
             ? x
             : arith::BitcastOp::create(b, rule.loc, type, x).getResult();
}

/// Elementary functions of one float.
static UnaryMath *mathFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryMath *>(op)
      .Case<ir::ExpOp>([](auto) { return emitExp; })
      .Case<ir::LogOp>([](auto) { return emitLog; })
      .Case<ir::Log1pOp>([](auto) { return emitLog1p; })
      .Case<ir::Expm1Op>([](auto) { return emitExpm1; })
      .Case<ir::SqrtOp>([](auto) { return emitSqrt; })
      .Case<ir::RsqrtOp>([](auto) { return emitRsqrt; })
      .Case<ir::TanhOp>([](auto) { return emitTanh; })
      .Case<ir::ErfOp>([](auto) { return emitErf; })
      .Case<ir::SinOp>([](auto) { return emitSin; })
      .Case<ir::CosOp>([](auto) { return emitCos; })
      .Case<ir::TanOp>([](auto) { return emitTan; })
      .Case<ir::AsinOp>([](auto) { return emitAsin; })
      .Case<ir::AcosOp>([](auto) { return emitAcos; })
      .Case<ir::AtanOp>([](auto) { return emitAtan; })
      .Case<ir::SinhOp>([](auto) { return emitSinh; })
      .Case<ir::CoshOp>([](auto) { return emitCosh; })
      .Case<ir::AsinhOp>([](auto) { return emitAsinh; })
      .Case<ir::AcoshOp>([](auto) { return emitAcosh; })
      .Case<ir::AtanhOp>([](auto) { return emitAtanh; })
      .Default([](Operation *) -> UnaryMath * { return nullptr; });
}

bool isDear(Operation *op) {
  return mathFunction(op) || isa<ir::PowOp, ir::DivOp, ir::RemOp>(op);
}

Value emitElementwise(ElementEmitter &emitter, Operation *op,
                      SmallVector<Value> v) {
  Rule rule(emitter, op);
  OpBuilder &b = rule.b;
  Location loc = rule.loc;
  if (UnaryMath *function = mathFunction(op))
    return function(b, loc, v[0]);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ir::AddOp>([&](auto) {
        return rule.pick<arith::AddFOp, arith::AddIOp, arith::AddIOp>(v[0],
                                                                      v[1]);
      })
      .Case<ir::SubOp>([&](auto) {
        return rule.pick<arith::SubFOp, arith::SubIOp, arith::SubIOp>(v[0],
                                                                      v[1]);
      })
      .Case<ir::MulOp>([&](auto) {
        return rule.pick<arith::MulFOp, arith::MulIOp, arith::MulIOp>(v[0],
                                                                      v[1]);
      })
      .Case<ir::MaxOp>([&](auto) {
        return combine(emitter, ir::ReduceKind::Max, rule.element, v[0], v[1]);
      })
      .Case<ir::MinOp>([&](auto) {
        return combine(emitter, ir::ReduceKind::Min, rule.element, v[0], v[1]);
      })
      .Case<ir::DivOp>([&](auto) -> Value {
        if (rule.isFloating)
          return arith::DivFOp::create(b, loc, v[0], v[1]);
        return emitIntDivision<arith::DivSIOp, arith::DivUIOp>(
            rule, v[0], v[1],
            /*remainder=*/false);
      })
      .Case<ir::RemOp>([&](auto) -> Value {
        if (rule.isFloating)
          return emitFmod(b, loc, v[0], v[1]);
        return emitIntDivision<arith::RemSIOp, arith::RemUIOp>(
            rule, v[0], v[1],
            /*remainder=*/true);
      })
      .Case<ir::PowOp>([&](auto) {
        return rule.isFloating ? emitPow(b, loc, v[0], v[1])
                               : emitIntPow(rule, v[0], v[1]);
      })
      .Case<ir::AndOp>(
          [&](auto) { return arith::AndIOp::create(b, loc, v[0], v[1]); })
      .Case<ir::OrOp>(
          [&](auto) { return arith::OrIOp::create(b, loc, v[0], v[1]); })
      .Case<ir::XorOp>(
          [&](auto) { return arith::XOrIOp::create(b, loc, v[0], v[1]); })
      .Case<ir::NotOp>([&](auto) -> Value {
        return arith::XOrIOp::create(b, loc, v[0], rule.constant(v[0], -1));
      })
      .Case<ir::ShiftLeftOp>([&](auto) {
        return emitShift<arith::ShLIOp>(rule, v[0], v[1],
                                        rule.constant(v[0], 0));
      })
      .Case<ir::ShiftRightOp>(
          [&](auto) { return emitShiftRight(rule, v[0], v[1]); })
      .Case<ir::AbsOp>([&](auto) { return emitAbs(rule, v[0]); })
      .Case<ir::NegOp>([&](auto) -> Value {
        if (rule.isFloating)
          return arith::NegFOp::create(b, loc, v[0]);
        return arith::SubIOp::create(b, loc, rule.constant(v[0], 0), v[0]);
      })
      .Case<ir::SignOp>([&](auto) { return emitSign(rule, v[0]); })
      .Case<ir::FloorOp>([&](auto) { return emitFloor(b, loc, v[0]); })
      .Case<ir::CeilOp>([&](auto) { return emitCeil(b, loc, v[0]); })
      .Case<ir::RoundOp>([&](auto) { return emitRoundEven(b, loc, v[0]); })
      .Case<ir::IsNanOp>([&](auto) {
        return rule.compare(arith::CmpFPredicate::UNO, v[0], v[0]);
      })
      .Case<ir::IsInfOp>([&](auto) { return emitIsInf(rule, v[0]); })
      .Case<ir::CompareOp>([&](ir::CompareOp compare) {
        return emitCompare(rule, compare.getDirection(), v[0], v[1]);
      })
      .Case<ir::FmaOp>([&](auto) { return emitFma(b, loc, v[0], v[1], v[2]); })
      .Case<ir::SelectOp>([&](auto) { return rule.select(v[0], v[1], v[2]); })
      .Case<ir::ConvertOp>([&](ir::ConvertOp convert) {
        return emitConvert(rule, convert, v[0]);
      })
      .Case<ir::BitCastOp>([&](ir::BitCastOp cast) {
        return emitBitCast(rule, rule.element, getElementTypeOrSelf(cast),
                           v[0]);
      });
}

} // namespace smp::codegen
