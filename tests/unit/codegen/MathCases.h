// SPDX-License-Identifier: Apache-2.0
// The elementary functions, what they should compute, and how well.

#ifndef SMP_TESTS_CODEGEN_MATHCASES_H
#define SMP_TESTS_CODEGEN_MATHCASES_H

#include "MathImage.h"
#include "smp/codegen/MathLibrary.h"
#include <cmath>

namespace smp::test {

/// A function of one float: bounds are in units of the last place.
struct UnaryCase {
  const char *name;
  codegen::UnaryMath *emit;
  double (*narrow)(double);         ///< What f32 is compared with.
  long double (*wide)(long double); ///< What f64 is compared with.
  double boundF32, boundF64;
  double reach = HUGE_VAL; ///< f64 is checked for |x| <= reach.
};

inline const std::vector<UnaryCase> &unaryCases() {
  using namespace codegen;
#define SMP_UNARY(name, emit, f32, f64, ...)                                   \
  {                                                                            \
    #name, emit, [](double x) { return std::name(x); },                        \
        [](long double x) { return std::name(x); }, f32, f64, ##__VA_ARGS__    \
  }
  static const std::vector<UnaryCase> cases = {
      SMP_UNARY(exp, emitExp, 2, 2),
      SMP_UNARY(expm1, emitExpm1, 1.7, 2.3),
      SMP_UNARY(log, emitLog, 1, 1),
      SMP_UNARY(log1p, emitLog1p, 1, 1),
      SMP_UNARY(tanh, emitTanh, 1.7, 3),
      SMP_UNARY(erf, emitErf, 2.1, 1.5),
      SMP_UNARY(sin, emitSin, 0.6, 1, 0x1p45),
      SMP_UNARY(cos, emitCos, 0.6, 1, 0x1p45),
      SMP_UNARY(tan, emitTan, 0.6, 2.5, 0x1p45),
      SMP_UNARY(asin, emitAsin, 0.51, 3),
      SMP_UNARY(acos, emitAcos, 0.51, 2),
      SMP_UNARY(atan, emitAtan, 0.51, 2),
      SMP_UNARY(sinh, emitSinh, 0.51, 3),
      SMP_UNARY(cosh, emitCosh, 0.51, 2.5),
      SMP_UNARY(asinh, emitAsinh, 0.51, 2.5),
      SMP_UNARY(acosh, emitAcosh, 0.51, 3),
      SMP_UNARY(atanh, emitAtanh, 0.51, 2.5),
      SMP_UNARY(sqrt, emitSqrt, 0.501, 0.501),
      SMP_UNARY(floor, emitFloor, 0, 0),
      SMP_UNARY(ceil, emitCeil, 0, 0),
      SMP_UNARY(nearbyint, emitRoundEven, 0, 0),
      {"rsqrt", emitRsqrt, [](double x) { return 1 / std::sqrt(x); },
       [](long double x) { return 1 / std::sqrt(x); }, 1.5, 1.5},
  };
#undef SMP_UNARY
  return cases;
}

/// The cases as functions "exp.f32" (vectors) and "exp.f32.scalar" ...
inline std::vector<MathFunction> unaryFunctions() {
  std::vector<MathFunction> functions;
  for (const UnaryCase &test : unaryCases())
    for (const char *type : {"f32", "f64"})
      for (bool scalar : {false, true}) {
        const unsigned lanes = scalar ? 0 : type[1] == '3' ? 16 : 8;
        const std::string name = std::string(test.name) + "." + type;
        functions.push_back(
            {scalar ? name + ".scalar" : name, type, type, 1, lanes,
             [emit = test.emit](mlir::OpBuilder &b, mlir::Location loc,
                                mlir::ValueRange x) {
               return emit(b, loc, x[0]);
             }});
      }
  return functions;
}

/// Units of the last place of T between a result and what it should be. Huge
/// when one is NaN or signs of zero differ.
template <typename T, typename Wide>
double unitsOff(T actual, Wide expected) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected) ? 0 : HUGE_VAL;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kMost = std::numeric_limits<T>::max_exponent;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent;
  if ((actual == 0 || expected == 0) &&
      std::signbit(actual) != std::signbit(expected))
    return HUGE_VAL;
  if (std::isinf(actual) && std::isinf(expected))
    return actual == T(expected) ? 0 : HUGE_VAL;
  // An infinity stands for the power of two after the greatest float.
  const Wide limit = std::ldexp(Wide(1), kMost);
  const auto clip = [&](Wide x) {
    return std::fmax(std::fmin(x, limit), -limit);
  };
  int exponent;
  std::frexp(clip(expected), &exponent);
  const Wide unit = std::ldexp(
      Wide(1), std::max(std::min(exponent, kMost), kLeast) - kDigits);
  return double(std::fabs(clip(Wide(actual)) - clip(expected)) / unit);
}

} // namespace smp::test

#endif // SMP_TESTS_CODEGEN_MATHCASES_H
