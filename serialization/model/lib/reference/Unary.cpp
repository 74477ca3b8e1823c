// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of one operand.

#include "Pointwise.h"
#include <cmath>

using namespace smp;
using namespace smp::reference;

/// A function of the math library: f64 in long double, the rest in double, and
/// one rounding.
template <auto function>
static void mathOp(Call &call) {
  if (call.dtype(0) != DType::F64)
    return floatOp<function>(call);
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  std::vector<double> numbers = widenFloats(call.operand(0));
  for (double &x : numbers)
    x = double(function(static_cast<long double>(x)));
  narrow(numbers, *result);
}

static constexpr auto absolute = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<decltype(x)>)
    return x < 0 ? int64_t(0 - uint64_t(x)) : x;
  else
    return x;
};

static constexpr auto negated = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return -x;
  else
    return decltype(x)(0 - uint64_t(x));
};

static constexpr auto signOf = [](auto x) {
  using T = decltype(x);
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; // Zeros and NaN stay.
};

static void bitwiseNot(Call &call) {
  if (call.require(!isFloat(call.dtype(0)), "the operand must not be a float"))
    numberOp<[](auto x) { return decltype(x)(~uint64_t(x)); }>(call);
}

/// 1 / sqrt(x), both correctly rounded to the type that is computed in.
static void rsqrt(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  DType type = call.dtype(0);
  std::vector<double> numbers = widenFloats(call.operand(0));
  for (double &x : numbers)
    x = roundToCompute(type, 1.0 / roundToCompute(type, std::sqrt(x)));
  narrow(numbers, *result);
}

/// A question about each float.
template <auto test>
static void testOp(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  HostTensor *result = call.makeResult({DType::Bool, call.shape(0)});
  if (!result)
    return;
  std::vector<double> numbers = widenFloats(call.operand(0));
  std::vector<uint64_t> answers(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    answers[i] = test(numbers[i]);
  narrow(answers, *result);
}

std::span<const Entry> smp::reference::unaryOps() {
  static constexpr Entry entries[] = {
      {"abs", 1, numberOp<absolute>},
      {"neg", 1, numberOp<negated>},
      {"sign", 1, numberOp<signOf>},
      {"not", 1, bitwiseNot},
      {"exp", 1, mathOp<[](auto x) { return std::exp(x); }>},
      {"log", 1, mathOp<[](auto x) { return std::log(x); }>},
      {"log1p", 1, mathOp<[](auto x) { return std::log1p(x); }>},
      {"expm1", 1, mathOp<[](auto x) { return std::expm1(x); }>},
      {"sqrt", 1, floatOp<[](double x) { return std::sqrt(x); }>},
      {"rsqrt", 1, rsqrt},
      {"tanh", 1, mathOp<[](auto x) { return std::tanh(x); }>},
      {"erf", 1, mathOp<[](auto x) { return std::erf(x); }>},
      {"sin", 1, mathOp<[](auto x) { return std::sin(x); }>},
      {"cos", 1, mathOp<[](auto x) { return std::cos(x); }>},
      {"tan", 1, mathOp<[](auto x) { return std::tan(x); }>},
      {"asin", 1, mathOp<[](auto x) { return std::asin(x); }>},
      {"acos", 1, mathOp<[](auto x) { return std::acos(x); }>},
      {"atan", 1, mathOp<[](auto x) { return std::atan(x); }>},
      {"sinh", 1, mathOp<[](auto x) { return std::sinh(x); }>},
      {"cosh", 1, mathOp<[](auto x) { return std::cosh(x); }>},
      {"asinh", 1, mathOp<[](auto x) { return std::asinh(x); }>},
      {"acosh", 1, mathOp<[](auto x) { return std::acosh(x); }>},
      {"atanh", 1, mathOp<[](auto x) { return std::atanh(x); }>},
      {"floor", 1, floatOp<[](double x) { return std::floor(x); }>},
      {"ceil", 1, floatOp<[](double x) { return std::ceil(x); }>},
      {"round", 1, floatOp<[](double x) { return std::nearbyint(x); }>},
      {"is_nan", 1, testOp<[](double x) { return std::isnan(x); }>},
      {"is_inf", 1, testOp<[](double x) { return std::isinf(x); }>},
  };
  return entries;
}
