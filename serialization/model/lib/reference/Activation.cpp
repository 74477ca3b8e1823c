// SPDX-License-Identifier: Apache-2.0
// Activations and softmax, from their definitions.

#include "Pointwise.h"
#include "Strided.h"
#include <cmath>
#include <limits>

using namespace smp;
using namespace smp::reference;

static constexpr auto positive = [](auto x) {
  return combine(Kind::Max, x, decltype(x)(0));
};

static void relu(Call &call) {
  call.require(call.dtype(0) != DType::Bool, "the operand must be a number");
  numberOp<positive>(call);
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// max(x, 0) + log1p(exp(-|x|)) is log(1 + exp(x)) without overflow.
static double softplus(double x) {
  return combine(Kind::Max, x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

static double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

static double approximateGelu(double x) {
  const double scale = std::sqrt(2.0 / 3.14159265358979323846);
  return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

static void geluOp(Call &call) {
  return call.flag("approximate") ? floatOp<approximateGelu>(call)
                                  : floatOp<gelu>(call);
}

template <bool logarithmic>
static void softmax(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  const int64_t axis = call.dimension("axis", call.shape(0).size());
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  const AxisSplit split(call.shape(0), axis);
  std::vector<double> numbers = widenFloats(call.operand(0));
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      double *row = &numbers[size_t(o * split.size * split.inner + i)];
      const auto end = split.size * split.inner;
      double max = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < end; k += split.inner)
        max = combine(Kind::Max, max, row[k]);
      for (int64_t k = 0; k < end; k += split.inner)
        sum += std::exp(row[k] - max);
      for (int64_t k = 0; k < end; k += split.inner)
        row[k] = logarithmic ? row[k] - max - std::log(sum)
                             : std::exp(row[k] - max) / sum;
    }
  narrow(numbers, *result);
}

std::span<const Entry> smp::reference::activationOps() {
  static constexpr Entry entries[] = {
      {"relu", 1, relu},
      {"sigmoid", 1, floatOp<sigmoid>},
      {"silu", 1, floatOp<[](double x) { return x * sigmoid(x); }>},
      {"softplus", 1, floatOp<softplus>},
      {"gelu", 1, geluOp},
      {"softmax", 1, softmax</*logarithmic=*/false>},
      {"log_softmax", 1, softmax</*logarithmic=*/true>},
  };
  return entries;
}
