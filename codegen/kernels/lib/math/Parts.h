// SPDX-License-Identifier: Apache-2.0
// Parts that several functions are made of.

#ifndef SMP_CODEGEN_LIB_MATH_PARTS_H
#define SMP_CODEGEN_LIB_MATH_PARTS_H

#include "Num.h"

namespace smp::codegen::math {

/// The coefficients for x's type.
template <size_t n, size_t m>
llvm::ArrayRef<double> coefficients(Num x, const double (&f32)[n],
                                    const double (&f64)[m]) {
  return x.isF32() ? llvm::ArrayRef<double>(f32) : llvm::ArrayRef<double>(f64);
}

/// exp(x + tail) * 2^-halvings for any x; `tail` is far smaller than x's last
/// bits and may be missing.
Num exponential(Num x, const Num *tail = nullptr, int halvings = 0);

/// expm1(x) as scale * q + (scale - 1), scale a power of two. For |x| up to
/// 80 (f32) or 700 (f64).
struct Expm1Parts {
  Num q, scale;
};
Expm1Parts expm1Parts(Num x);

/// x = m * 2^k, sqrt(1/2) <= m < sqrt(2), for positive finite x.
struct LogParts {
  Num m, k;
};
LogParts logParts(Num x);

/// log(x) of f64 for positive finite x.
Num logarithmF64(Num x);
/// `inside` for positive finite x; else what log gives at x.
Num withLogEdges(Num x, Num inside);
/// log(1 + x), of f32 or f64.
Num log1p(Num x);
/// exp(x) - 1, of f32 or f64.
Num expm1(Num x);
/// The inverse sine of f64 s, |s| <= 1/2, given its square.
Num asinNear(Num s, Num square);

/// `function`, which computes in f64, for f32 and f64.
template <typename Function>
Num throughF64(Num x, Function function) {
  return x.isF32() ? toF32(function(toF64(x))) : function(x);
}

} // namespace smp::codegen::math

#endif // SMP_CODEGEN_LIB_MATH_PARTS_H
