// SPDX-License-Identifier: Apache-2.0
// log, log1p and the inverse hyperbolic functions.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"
#include <limits>

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bits that, added to a float's, carry into the exponent from sqrt(1/2) on.
static int64_t carryBits(Num x) {
  return x.isF32() ? 0x3f800000 - 0x3f3504f3
                   : 0x3ff0000000000000 - 0x3fe6a09e667f3bcd;
}

namespace {
/// A normal float apart: m, and k + bias in integer bits.
struct Exponent {
  Num m, biased;
};
} // namespace

static Exponent splitExponent(Num x) {
  const unsigned mantissa = x.mantissaBits();
  Num carried = bits(x) + x.integer(carryBits(x));
  Num low = carried & x.integer((int64_t(1) << mantissa) - 1);
  Num m = fromBits(low + x.integer((x.bias() << mantissa) - carryBits(x)));
  return {m, shiftRight(carried, mantissa)};
}

/// A small integer as a float, less `offset`: set into the last bits of a large
/// constant, since there is no conversion of 64-bit vectors on every level.
static Num toFloat(Num small, Num like, Num offset) {
  const int64_t large = like.isF32() ? 0x4b000000 : 0x4330000000000000;
  return fromBits(small | like.integer(large)) - offset;
}

namespace smp::codegen::math {

LogParts logParts(Num x) {
  // Subnormal numbers are scaled first.
  const double least = std::ldexp(1.0, int(1 - x.bias()));
  const double offset =
      std::ldexp(1.0, int(x.mantissaBits())) + double(x.bias());
  const double scale = std::ldexp(1.0, int(x.mantissaBits()));
  Num small = x < least;
  Exponent parts = splitExponent(select(small, x * scale, x));
  Num k = toFloat(
      parts.biased, x,
      select(small, x.constant(offset + double(x.mantissaBits())), offset));
  return {parts.m, k};
}

/// k ln 2 + log(m) + correction, |correction| far below m's last bits, in f32.
static Num logSumF32(Num m, Num k, const Num *correction) {
  Num f = m - 1;
  Num square = f * f;
  // log(1 + f) = f - f^2 / 2 + f^3 P(f).
  Num low = fma(k, kLn2F32[1], (square * f) * polynomial(kLogF32, f));
  low = fma(square, -0.5, low);
  if (correction) // d(log) = dm / m; 1 / m is near enough to 1 - f + f^2.
    low = fma(*correction, fma(f, f - 1, 1), low);
  return fma(k, kLn2F32[0], f + low);
}

/// The same in f64: log(1 + f) = f - s (f - s^2 Q(s^2)), s = f / (2 + f),
/// summed in the order of FreeBSD's e_log.c (Sun Microsystems, 1993).
static Num logSumF64(Num m, Num k, const Num *correction) {
  Num f = m - 1;
  Num s = f / (f + 2);
  Num z = s * s;
  Num rest = z * polynomial(kLogF64, z);
  Num half = (f * f) * 0.5;
  Num low = fma(k, kLn2F64[1], s * (half + rest));
  if (correction)
    low = low + *correction / m;
  return fma(k, kLn2F64[0], f - (half - low));
}

static Num logSum(Num m, Num k, const Num *correction) {
  return m.isF32() ? logSumF32(m, k, correction) : logSumF64(m, k, correction);
}

Num logarithmF64(Num x) {
  LogParts parts = logParts(x);
  return logSumF64(parts.m, parts.k, nullptr);
}

Num withLogEdges(Num x, Num inside) {
  Num outside = select(equal(x, 0), x.constant(-kInfinity),
                       std::numeric_limits<double>::quiet_NaN());
  return select(x > 0, select(x < kInfinity, inside, x), outside);
}

static Num logarithm(Num x) {
  LogParts parts = logParts(x);
  return withLogEdges(x, logSum(parts.m, parts.k, nullptr));
}

/// log(u) + error / u with u = 1 + x rounded and error what rounding lost.
Num log1p(Num x) {
  Double sum = exactSum(x.constant(1), x);
  Exponent parts = splitExponent(sum.high);
  const unsigned mantissa = x.mantissaBits();
  Num k =
      toFloat(parts.biased, x,
              x.constant(std::ldexp(1.0, int(mantissa)) + double(x.bias())));
  // error * 2^-k, in proportion to m. 2^(1-k) exists for the largest k too.
  Num inverse =
      fromBits(shiftLeft(x.integer(2 * x.bias() + 1) - parts.biased, mantissa));
  Num correction = sum.low * inverse * 0.5;
  Num inside = logSum(parts.m, k, &correction);
  return copySign(withLogEdges(sum.high, inside), x);
}

} // namespace smp::codegen::math

static constexpr double kLn2 = 0.6931471805599453;
static constexpr double kFar = 0x1p500; // Beyond, x^2 is infinite.

/// log(|x| + sqrt(x^2 + 1)), exact near zero.
static Num asinhOf(Num x) {
  Num magnitude = abs(x);
  Num near = atMost(magnitude, kFar);
  Num square = near * near;
  Num argument = near + square / (sqrt(square + 1) + 1);
  Num isFar = magnitude > kFar;
  Num result = log1p(select(isFar, magnitude, argument)) +
               select(isFar, x.constant(kLn2), 0.0);
  return copySign(result, x);
}

/// log(x + sqrt(x^2 - 1)) with t = x - 1, exact near one.
static Num acoshOf(Num x) {
  Num t = atMost(x, kFar) - 1;
  Num argument = t + sqrt(t * (t + 2));
  Num isFar = x > kFar;
  Num result =
      log1p(select(isFar, x, argument)) + select(isFar, x.constant(kLn2), 0.0);
  return select(x < 1, std::numeric_limits<double>::quiet_NaN(), result);
}

/// log1p(2 |x| / (1 - |x|)) / 2.
static Num atanhOf(Num x) {
  Num magnitude = abs(x);
  Num twice = magnitude + magnitude;
  Num argument = twice + twice * magnitude / (1 - magnitude);
  Num result = copySign(log1p(argument) * 0.5, x);
  return select(magnitude > 1, std::numeric_limits<double>::quiet_NaN(),
                result);
}

namespace smp::codegen {

Value emitLog(OpBuilder &b, Location loc, Value x) {
  return logarithm({&b, loc, x});
}
Value emitLog1p(OpBuilder &b, Location loc, Value x) {
  return math::log1p({&b, loc, x});
}
Value emitAsinh(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, asinhOf);
}
Value emitAcosh(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, acoshOf);
}
Value emitAtanh(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, atanhOf);
}

} // namespace smp::codegen
