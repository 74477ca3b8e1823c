// SPDX-License-Identifier: Apache-2.0
// Values with operators, so that formulas in IR read like formulas.

#ifndef SMP_CODEGEN_LIB_MATH_NUM_H
#define SMP_CODEGEN_LIB_MATH_NUM_H

#include "mlir/IR/Builders.h"

namespace smp::codegen::math {

/// A scalar or 1-D vector of floats or integers, and where ops on it go. The
/// operators emit one op each; their operands have one type.
struct Num {
  mlir::OpBuilder *builder;
  mlir::Location location;
  mlir::Value value;

  operator mlir::Value() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const;
  bool isF32() const { return element().isF32(); }
  /// Bits of the mantissa of a float, without the implicit one.
  unsigned mantissaBits() const { return isF32() ? 23 : 52; }
  /// What is added to exponents of a float.
  int64_t bias() const { return isF32() ? 127 : 1023; }
  /// `other` in the place of this value.
  Num with(mlir::Value other) const { return {builder, location, other}; }
  /// A float constant of this type, rounded to it.
  Num constant(double number) const;
  /// An integer constant as wide as the elements of this type.
  Num integer(int64_t number) const;
};

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
inline Num operator+(Num a, double b) { return a + a.constant(b); }
inline Num operator-(Num a, double b) { return a - a.constant(b); }
inline Num operator*(Num a, double b) { return a * a.constant(b); }
inline Num operator+(double a, Num b) { return b.constant(a) + b; }
inline Num operator-(double a, Num b) { return b.constant(a) - b; }
inline Num operator/(double a, Num b) { return b.constant(a) / b; }

// Of floats: false for NaN.
Num operator<(Num a, Num b);
Num operator>(Num a, Num b);
Num equal(Num a, Num b);
/// Of floats: true for NaN.
Num unequal(Num a, Num b);
inline Num operator<(Num a, double b) { return a < a.constant(b); }
inline Num operator>(Num a, double b) { return a > a.constant(b); }
inline Num equal(Num a, double b) { return equal(a, a.constant(b)); }
Num isNaN(Num a);

Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
Num shiftLeft(Num a, int64_t bits);
Num shiftRight(Num a, int64_t bits); ///< Filling with zeros.

Num select(Num condition, Num a, Num b);
inline Num select(Num condition, Num a, double b) {
  return select(condition, a, a.constant(b));
}
inline Num select(Num condition, double a, Num b) {
  return select(condition, b.constant(a), b);
}

/// a * b + c: fused where the level fuses.
Num fma(Num a, Num b, Num c);
inline Num fma(Num a, double b, Num c) { return fma(a, a.constant(b), c); }
inline Num fma(Num a, Num b, double c) { return fma(a, b, a.constant(c)); }
inline Num fma(Num a, double b, double c) {
  return fma(a, a.constant(b), a.constant(c));
}

Num abs(Num a);
Num sqrt(Num a);
Num floor(Num a);
Num ceil(Num a);
Num roundEven(Num a);
/// |a| with the sign of b.
Num copySign(Num a, Num b);
/// The smaller and the larger of x and a bound, which is not 0; a NaN stays.
Num atMost(Num x, double bound);
Num atLeast(Num x, double bound);

/// The bits of floats as integers, and back.
Num bits(Num a);
Num fromBits(Num a);
Num toF64(Num a);
Num toF32(Num a);

/// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule.
Num polynomial(llvm::ArrayRef<double> c, Num x);

/// `a` as an unevaluated sum of two floats.
struct Double {
  Num high, low;
};
/// a + b exactly; the second needs |a| >= |b| or a == 0.
Double exactSum(Num a, Num b);
Double exactSumOrdered(Num a, Num b);
/// a * b exactly, of f64. Needs no fused multiply-add.
Double exactProduct(Num a, Num b);

} // namespace smp::codegen::math

#endif // SMP_CODEGEN_LIB_MATH_NUM_H
