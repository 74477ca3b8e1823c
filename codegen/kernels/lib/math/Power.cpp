// SPDX-License-Identifier: Apache-2.0
// pow.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"
#include <limits>

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static Double times(Double a, Double b) {
  Double product = exactProduct(a.high, b.high);
  return exactSumOrdered(product.high,
                         product.low + (a.high * b.low + a.low * b.high));
}

static Double plus(Double a, Double b) {
  Double sum = exactSum(a.high, b.high);
  return exactSumOrdered(sum.high, sum.low + (a.low + b.low));
}

/// log(x) to about 65 bits: s = f / (2 + f) and the first terms of the series
/// 2 s + 2/3 s^3 + ... in two parts.
static Double preciseLog(Num x) {
  LogParts parts = logParts(x);
  Num f = parts.m - 1;
  Double below = exactSumOrdered(x.constant(2), f);
  Num high = f / below.high;
  Double back = exactProduct(high, below.high);
  Num low = (((f - back.high) - back.low) - high * below.low) / below.high;
  Double s = exactSumOrdered(high, low);
  Double square = times(s, s);
  Double cubic =
      times(square, {x.constant(kTwoThirds[0]), x.constant(kTwoThirds[1])});
  Num rest = (square.high * square.high) * polynomial(kPowLogF64, square.high);
  Double series = exactSumOrdered(cubic.high, rest);
  series = {series.high, series.low + cubic.low};
  Double twice{s.high + s.high, s.low + s.low};
  Double logM = plus(twice, times(s, series));
  return plus({parts.k * kLn2F64[0], parts.k * kLn2F64[1]}, logM);
}

/// x^y for positive finite x, in f64 to the precision of f32.
static Num powerF32(Num x, Num y) { return exponential(y * logarithmF64(x)); }

/// x^y for positive finite x.
static Num powerF64(Num x, Num y) {
  Double log = preciseLog(x);
  Double product = exactProduct(y, log.high);
  Num tail = product.low + y * log.low;
  Double sum = exactSumOrdered(product.high, tail);
  // Where the result is infinite or zero the tail means nothing.
  Num low = select(abs(sum.high) < 1000, sum.low, 0.0);
  return exponential(sum.high, &low);
}

/// The edges of C's pow around `power` of |x|.
static Num power(Num x, Num y, bool isF32) {
  Num magnitude = abs(x);
  // Beyond, every result but 1 is infinite or zero; and products stay finite.
  Num bounded = atLeast(atMost(y, 0x1p65), -0x1p65);
  Num result =
      isF32 ? powerF32(magnitude, bounded) : powerF64(magnitude, bounded);
  // |x| is 0 or infinite: so is the result, or the other way round.
  Num isZero = equal(magnitude, 0), grows = y > 0;
  Num isEdge = isZero | equal(magnitude, kInfinity);
  Num edge = select(isZero ^ grows, x.constant(kInfinity), 0.0);
  result = select(isEdge, edge, result);
  // A negative base: the sign of odd powers, NaN for powers that are no
  // integer.
  Num half = y * 0.5;
  Num isInteger = equal(roundEven(y), y);
  Num isOdd = isInteger & unequal(roundEven(half), half);
  result = select(isOdd, copySign(result, x), result);
  Num hasNoPower = (x < 0) & unequal(roundEven(y), y) & (magnitude < kInfinity);
  result = select(hasNoPower, kNaN, result);
  result = select(isNaN(x) | isNaN(y), x + y, result);
  return select(equal(x, 1) | equal(y, 0), 1.0, result);
}

namespace smp::codegen {
Value emitPow(OpBuilder &b, Location loc, Value x, Value y) {
  Num base{&b, loc, x}, exponent{&b, loc, y};
  if (base.isF32())
    return toF32(power(toF64(base), toF64(exponent), /*isF32=*/true));
  return power(base, exponent, /*isF32=*/false);
}
} // namespace smp::codegen
