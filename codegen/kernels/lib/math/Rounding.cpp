// SPDX-License-Identifier: Apache-2.0
// Functions that are instructions on every level, and fmod.

#include "Num.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include <limits>

using namespace mlir;
using namespace smp::codegen::math;

namespace {
/// |x| = mantissa * 2^(exponent - bias - mantissa bits), x not zero: the
/// mantissa has all its bits, also when x is subnormal.
struct Parts {
  Num mantissa, exponent;
};
} // namespace

static Parts takeApart(Num x) {
  const int64_t width = x.mantissaBits();
  Num small = x < std::ldexp(1.0, int(1 - x.bias()));
  Num scaled = bits(select(small, x * std::ldexp(1.0, int(width)), x));
  Num implicit = x.integer(int64_t(1) << width);
  Num exponent = shiftRight(scaled, width);
  return {(scaled & (implicit - x.integer(1))) | implicit,
          select(small, exponent - x.integer(width), exponent)};
}

static Num compare(arith::CmpIPredicate predicate, Num a, Num b) {
  return a.with(arith::CmpIOp::create(*a.builder, a.location, predicate, a, b));
}

/// a - b where a >= b, else a.
static Num reduceOnce(Num a, Num b) {
  return select(compare(arith::CmpIPredicate::sge, a, b), a - b, a);
}

static Value anyOf(Num condition) {
  if (!isa<VectorType>(condition.type()))
    return condition;
  return vector::ReductionOp::create(*condition.builder, condition.location,
                                     vector::CombiningKind::OR, condition);
}

/// One bit of long division per turn, as long as some lane has bits left.
static Parts divide(Parts x, Parts y) {
  OpBuilder &b = *x.mantissa.builder;
  Location loc = x.mantissa.location;
  Type type = x.mantissa.type();
  auto isLeft = [&](Num exponent) {
    return compare(arith::CmpIPredicate::sgt, exponent, y.exponent);
  };
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{type, type}, ValueRange{x.mantissa, x.exponent},
      [&](OpBuilder &, Location, ValueRange state) {
        scf::ConditionOp::create(
            b, loc, anyOf(isLeft(x.exponent.with(state[1]))), state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        Num mantissa = x.mantissa.with(state[0]),
            exponent = x.exponent.with(state[1]);
        Num left = isLeft(exponent);
        Num next = shiftLeft(reduceOnce(mantissa, y.mantissa), 1);
        scf::YieldOp::create(
            b, loc,
            ValueRange{select(left, next, mantissa),
                       select(left, exponent - exponent.integer(1), exponent)});
      });
  return {x.mantissa.with(loop.getResult(0)),
          x.exponent.with(loop.getResult(1))};
}

/// The float of a mantissa below twice its implicit bit, and an exponent.
static Num putTogether(Parts parts, Num like) {
  // The mantissa in the last bits of 2^width, less that; its top bit apart.
  const int64_t width = like.mantissaBits();
  Num top = like.integer(int64_t(1) << width);
  Num one = like.integer((like.bias() + width) << width);
  Num hasTop = equal(parts.mantissa & top, top);
  Num value = fromBits((parts.mantissa & (top - like.integer(1))) | one) -
              select(hasTop, like.constant(0), std::ldexp(1.0, int(width)));
  // Times 2^(exponent - bias - width), by two powers that are both normal.
  Num total = parts.exponent + like.integer(like.bias() - width);
  Num first = shiftRight(total, 1);
  return value * fromBits(shiftLeft(first, width)) *
         fromBits(shiftLeft(total - first, width));
}

static Num fmodOf(Num x, Num y) {
  Num ax = abs(x), ay = abs(y);
  Parts divisor = takeApart(ay);
  Parts rest = divide(takeApart(ax), divisor);
  Num last = reduceOnce(rest.mantissa, divisor.mantissa);
  Num result = copySign(putTogether({last, rest.exponent}, x), x);
  result = select(ax < ay, x, result);
  const double infinity = std::numeric_limits<double>::infinity();
  Num isDefined = (ax < infinity) & (ay > 0);
  return select(isDefined, result, std::numeric_limits<double>::quiet_NaN());
}

namespace smp::codegen {

Value emitSqrt(OpBuilder &b, Location loc, Value x) {
  return math::sqrt({&b, loc, x});
}
Value emitRsqrt(OpBuilder &b, Location loc, Value x) {
  return 1 / math::sqrt({&b, loc, x});
}
Value emitFloor(OpBuilder &b, Location loc, Value x) {
  return math::floor({&b, loc, x});
}
Value emitCeil(OpBuilder &b, Location loc, Value x) {
  return math::ceil({&b, loc, x});
}
Value emitRoundEven(OpBuilder &b, Location loc, Value x) {
  return roundEven({&b, loc, x});
}
Value emitFmod(OpBuilder &b, Location loc, Value x, Value y) {
  return fmodOf({&b, loc, x}, {&b, loc, y});
}
Value emitFma(OpBuilder &b, Location loc, Value x, Value y, Value z) {
  return math::fma(Num{&b, loc, x}, Num{&b, loc, y}, Num{&b, loc, z});
}

} // namespace smp::codegen
