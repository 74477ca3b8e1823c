// SPDX-License-Identifier: Apache-2.0
// asin, acos and atan, in f64.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

static constexpr double kHalfPi = 1.5707963267948966;
static constexpr double kHalfPiLow = 6.123233995736766e-17; // pi / 2 - kHalfPi.

namespace {
/// asin(|x|) = near, |x| < 1/2; else pi / 2 - 2 near, by the half angle.
struct AsinParts {
  Num isNear, near;
};
} // namespace

static AsinParts asinParts(Num magnitude) {
  Num isNear = magnitude < 0.5;
  Num half = (1 - magnitude) * 0.5;
  Num square = select(isNear, magnitude * magnitude, half);
  Num s = select(isNear, magnitude, sqrt(half)); // NaN beyond 1.
  return {isNear, fma(s * square, polynomial(kAsinF64, square), s)};
}

static Num asinOf(Num x) {
  AsinParts parts = asinParts(abs(x));
  Num far = kHalfPi - ((parts.near + parts.near) - kHalfPiLow);
  return copySign(select(parts.isNear, parts.near, far), x);
}

static Num acosOf(Num x) {
  AsinParts parts = asinParts(abs(x));
  Num twice = parts.near + parts.near;
  Num near = kHalfPi - (copySign(parts.near, x) - kHalfPiLow);
  Num far = select(x < 0, 2 * kHalfPi - (twice - 2 * kHalfPiLow), twice);
  return select(parts.isNear, near, far);
}

/// Reduced to |z| <= tan(pi / 8) by atan(t) = c + atan((t - tan c) / (1 + t tan
/// c)) with c = 0, pi / 4 or pi / 2.
static Num atanOf(Num x) {
  Num t = abs(x);
  Num middle = t > 0.41421356237309503, far = t > 2.414213562373095;
  Num one = x.constant(1);
  Num above = select(far, -one, select(middle, t - 1, t));
  Num below = select(far, t, select(middle, t + 1, one));
  Num z = above / below, square = z * z;
  Num part = select(far, x.constant(kHalfPi),
                    select(middle, x.constant(kHalfPi / 2), 0.0));
  Num low = part * (kHalfPiLow / kHalfPi);
  Num result = part + (z + fma(z * square, polynomial(kAtanF64, square), low));
  return copySign(result, x);
}

namespace smp::codegen {

Value emitAsin(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, asinOf);
}
Value emitAcos(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, acosOf);
}
Value emitAtan(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, atanOf);
}

} // namespace smp::codegen
