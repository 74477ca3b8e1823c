// SPDX-License-Identifier: Apache-2.0
// exp, expm1, tanh and the hyperbolic functions.
//
// Arguments are reduced by multiples of ln 2 in two parts (Cody and Waite,
// Software Manual for the Elementary Functions, 1980); powers of two are made
// in the exponent bits of a sum with a large constant.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

static constexpr double kLog2E = 1.4426950408889634;

/// The least float of x's type whose last place is 1, and half as much again:
/// a small integer added to it is found in its low bits.
static double roundingConstant(Num x) {
  return x.isF32() ? 0x1.8p23 : 0x1.8p52;
}

namespace {
/// x = n * step * ln 2 + r with integer n, |r| <= step * ln 2 / 2.
struct Reduced {
  Num n, r;
  Num power; ///< 2^(n + exponent).
};
} // namespace

static Reduced reduce(Num x, double step, int exponent) {
  llvm::ArrayRef<double> ln2 = coefficients(x, kLn2F32, kLn2F64);
  const double shift = roundingConstant(x) + double(x.bias() + exponent);
  Num shifted = fma(x, kLog2E / step, shift);
  Num n = shifted - shift;
  Num r = fma(n, -step * ln2[1], fma(n, -step * ln2[0], x));
  return {n, r, fromBits(shiftLeft(bits(shifted), x.mantissaBits()))};
}

namespace smp::codegen::math {

Num exponential(Num x, const Num *tail, int halvings) {
  // Beyond these, results are infinite or zero.
  Num y = atLeast(atMost(x, x.isF32() ? 89 : 710.5), x.isF32() ? -104 : -746);
  // Steps of 2 ln 2, so that one power of two, used twice, reaches both the
  // largest floats and the subnormal ones.
  Reduced reduced = reduce(y, 2, 0);
  Num r = tail ? reduced.r + *tail : reduced.r;
  Num p = polynomial(coefficients(x, kExpF32, kExpF64), r);
  Num first = p * reduced.power;
  if (halvings)
    first = first * std::ldexp(1.0, -halvings);
  return first * reduced.power;
}

/// expm1(r) of a reduced argument.
static Num expm1Near(Num r) {
  return fma(r * r, polynomial(coefficients(r, kExpm1F32, kExpm1F64), r), r);
}

Expm1Parts expm1Parts(Num x) {
  Reduced reduced = reduce(x, 1, 0);
  return {expm1Near(reduced.r), reduced.power};
}

Num expm1(Num x) {
  Num y = atLeast(atMost(x, x.isF32() ? 89 : 710), x.isF32() ? -18 : -40);
  // With half the power, which stays finite: 2 (s/2 q + (s/2 - 1/2)).
  Reduced reduced = reduce(y, 1, -1);
  Num half = fma(reduced.power, expm1Near(reduced.r), reduced.power - 0.5);
  return copySign(half + half, x);
}

} // namespace smp::codegen::math

/// e / (e + 2) with e = expm1(2 |x|).
static Num tanhOf(Num x) {
  Num magnitude = abs(x);
  Num y = atMost(magnitude + magnitude, x.isF32() ? 20 : 44);
  Expm1Parts parts = expm1Parts(y);
  Num e = fma(parts.scale, parts.q, parts.scale - 1);
  Num result = e / (e + 2);
  if (!x.isF32())
    return copySign(result, x);
  // Near zero the three roundings add up to more than 2 units.
  Num square = x * x;
  Num near = fma(x * square, polynomial(kTanhF32, square), x);
  return copySign(select(magnitude < 0.35, near, result), x);
}

/// (e + e / (e + 1)) / 2 with e = expm1(|x|), or exp(|x|) / 2.
static Num sinhOf(Num x) {
  Num magnitude = abs(x);
  Num e = expm1(atMost(magnitude, 40));
  Num near = (e + e / (e + 1)) * 0.5;
  Num far = exponential(magnitude, nullptr, /*halvings=*/1);
  return copySign(select(magnitude < 22, near, far), x);
}

/// e + 1 / (4 e) with e = exp(|x|) / 2.
static Num coshOf(Num x) {
  Num e = exponential(abs(x), nullptr, /*halvings=*/1);
  return e + 0.25 / e;
}

namespace smp::codegen {

Value emitExp(OpBuilder &b, Location loc, Value x) {
  return exponential({&b, loc, x});
}
Value emitExpm1(OpBuilder &b, Location loc, Value x) {
  return math::expm1({&b, loc, x});
}
Value emitTanh(OpBuilder &b, Location loc, Value x) {
  return tanhOf({&b, loc, x});
}
Value emitSinh(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, sinhOf);
}
Value emitCosh(OpBuilder &b, Location loc, Value x) {
  return throughF64({&b, loc, x}, coshOf);
}

} // namespace smp::codegen
