// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan.
//
// f32: any argument, reduced in f64 by products of x with parts of 1 / (2 pi),
// each exact (after Payne and Hanek, 1983). f64: |x| <= 2^45, reduced by parts
// of pi / 2 (Cody and Waite), NaN beyond.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"
#include <limits>

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

namespace {
/// x = quadrant * pi / 2 + angle, |angle| <= pi / 4. All f64; the quadrant is
/// in -4 .. 4.
struct Reduced {
  Num quadrant;
  Double angle;
};
} // namespace

static constexpr double kHalfPi = 1.5707963267948966;
/// Beyond, the number of quarter turns is not found exactly enough.
static constexpr double kReachF64 = 0x1p45;

/// Reduces f64 `x` >= 0 that has the bits of an f32.
static Reduced reduceF32(Num x) {
  Num turns = x.constant(0);
  for (double part : kInverseTwoPi) {
    // 24 by 29 bits: exact, and so is what is left of whole turns.
    Num product = x * part;
    turns = turns + (product - roundEven(product));
  }
  Num quarters = turns * 4;
  Num quadrant = roundEven(quarters);
  Num angle = (quarters - quadrant) * kHalfPi;
  return {quadrant - roundEven(quadrant * 0.25) * x.constant(4),
          {angle, x.constant(0)}};
}

/// Adds to an unevaluated sum.
static Double add(Double sum, Num term) {
  Double next = exactSum(sum.high, term);
  return {next.high, next.low + sum.low};
}

/// Reduces f64 0 <= x <= kReachF64.
static Reduced reduceF64(Num x) {
  Num count = roundEven(x * (1 / kHalfPi));
  // 26 bits each: products with the parts of pi / 2 are exact, and so are the
  // first differences.
  Num high = roundEven(count * 0x1p-26) * 0x1p26;
  Num low = count - high;
  const auto times = [&](Num n, int part) { return n * kHalfPiF64[part]; };
  Num r = ((x - times(high, 0)) - times(low, 0)) - times(high, 1);
  r = (r - times(low, 1)) - times(high, 2);
  Double angle = exactSum(r, -times(low, 2));
  angle = add(angle, -times(high, 3));
  angle = add(angle, -times(low, 3));
  angle = add(angle, -times(count, 4));
  angle = exactSumOrdered(angle.high, angle.low);
  return {count - roundEven(count * 0.25) * x.constant(4), angle};
}

static Reduced reduce(Num x, bool fromF32) {
  return fromF32 ? reduceF32(x) : reduceF64(x);
}

/// The sine and cosine of a reduced angle; `precise` to f64, else to f32.
static std::pair<Num, Num> sinCosNear(Double angle, bool precise) {
  Num r = angle.high, z = r * r;
  if (!precise) {
    Num sine = fma(r * z, polynomial(kSinF32, z), r);
    return {sine, fma(z * z, polynomial(kCosF32, z), fma(z, -0.5, 1))};
  }
  Num sine = r + fma(r * z, polynomial(kSinF64, z), angle.low);
  // 1 - z / 2 with what its rounding loses, and the slope times the low part.
  Num half = z * 0.5;
  Num first = 1 - half;
  Num rest = (1 - first) - half;
  Num cosine = first + fma(z * z, polynomial(kCosF64, z), rest - r * angle.low);
  return {sine, cosine};
}

/// The integer value of a small f64.
static Num integerOf(Num x) { return bits(x + 0x1.8p52); }

static Num isOdd(Num integers) {
  return equal(integers & integers.integer(1), integers.integer(1));
}

/// f64 sine of x, or its cosine: the sine a quarter turn later.
static Num sinOrCos(Num x, bool cosine, bool fromF32) {
  Num magnitude = abs(x);
  Reduced reduced = reduce(magnitude, fromF32);
  auto [sine, cosineNear] = sinCosNear(reduced.angle, !fromF32);
  Num quadrant = integerOf(cosine ? reduced.quadrant + 1 : reduced.quadrant);
  Num chosen = select(isOdd(quadrant), cosineNear, sine);
  Num sign = shiftLeft(quadrant & quadrant.integer(2), 62);
  if (!cosine) // The sine is odd.
    sign = sign ^
           (bits(x) & quadrant.integer(std::numeric_limits<int64_t>::min()));
  Num result = fromBits(bits(chosen) ^ sign);
  if (fromF32)
    return result;
  return select(magnitude > kReachF64, std::numeric_limits<double>::quiet_NaN(),
                result);
}

/// sin / cos, or -cos / sin in odd quadrants.
static Num tangent(Num x, bool fromF32) {
  Num magnitude = abs(x);
  Reduced reduced = reduce(magnitude, fromF32);
  auto [sine, cosine] = sinCosNear(reduced.angle, !fromF32);
  Num odd = isOdd(integerOf(reduced.quadrant));
  Num result = select(odd, -cosine, sine) / select(odd, sine, cosine);
  result = fromBits(
      bits(result) ^
      (bits(x) & bits(x).integer(std::numeric_limits<int64_t>::min())));
  if (fromF32)
    return result;
  return select(magnitude > kReachF64, std::numeric_limits<double>::quiet_NaN(),
                result);
}

namespace smp::codegen {

Value emitSin(OpBuilder &b, Location loc, Value x) {
  Num number{&b, loc, x};
  return throughF64(number,
                    [&](Num y) { return sinOrCos(y, false, number.isF32()); });
}
Value emitCos(OpBuilder &b, Location loc, Value x) {
  Num number{&b, loc, x};
  return throughF64(number,
                    [&](Num y) { return sinOrCos(y, true, number.isF32()); });
}
Value emitTan(OpBuilder &b, Location loc, Value x) {
  Num number{&b, loc, x};
  return throughF64(number, [&](Num y) { return tangent(y, number.isF32()); });
}

} // namespace smp::codegen
