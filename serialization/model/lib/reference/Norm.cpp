// SPDX-License-Identifier: Apache-2.0
// Normalisations, from their definitions.

#include "Numbers.h"
#include "Strided.h"
#include "Table.h"
#include <cmath>

using namespace smp;
using namespace smp::reference;

/// Checks that operands 1.. are floats of operand 0's element type and `shape`.
static void requireVectors(Call &call, const Shape &shape) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  for (size_t i = 1; i < call.operands.size(); ++i)
    call.require(call.type(i) == TensorType{call.dtype(0), shape},
                 "operand " + std::to_string(i) + " is " +
                     toString(call.type(i)) + "; it must be " +
                     toString(TensorType{call.dtype(0), shape}));
}

/// layer_norm (with mean and bias) or rms_norm (without).
template <bool centred>
static void rowNorm(Call &call) {
  const Shape &shape = call.shape(0);
  const int64_t axis = call.dimension("axis", shape.size());
  const double epsilon = call.number("epsilon");
  if (call.failed())
    return;
  const Shape row(shape.begin() + axis, shape.end());
  requireVectors(call, row);
  HostTensor *result = call.makeResult(call.type(0));
  if (!result || result->bytes.empty())
    return;
  const size_t size = size_t(numElements(row));
  std::vector<double> x = widenFloats(call.operand(0)),
                      scale = widenFloats(call.operand(1));
  // No bias: x + -0 is x, for x = -0 too.
  std::vector<double> bias(size, -0.0);
  if (centred)
    bias = widenFloats(call.operand(2));
  for (size_t first = 0; first < x.size(); first += size) {
    double *at = &x[first];
    long double sum = 0, squares = 0;
    for (size_t i = 0; centred && i < size; ++i)
      sum += at[i];
    const double mean = limitTo(call.dtype(0), sum) / double(size);
    for (size_t i = 0; i < size; ++i)
      squares += (at[i] - mean) * (at[i] - mean);
    const double root =
        std::sqrt(limitTo(call.dtype(0), squares) / double(size) + epsilon);
    for (size_t i = 0; i < size; ++i)
      at[i] = (at[i] - mean) / root * scale[i] + bias[i];
  }
  narrow(x, *result);
}

static void batchNorm(Call &call) {
  const int64_t axis = call.dimension("axis", call.shape(0).size());
  const double epsilon = call.number("epsilon");
  if (call.failed())
    return;
  requireVectors(call, {call.shape(0)[size_t(axis)]});
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  std::vector<double> v[5];
  for (size_t i = 0; i < 5; ++i)
    v[i] = widenFloats(call.operand(i));
  auto &[x, scale, bias, mean, variance] = v;
  const AxisSplit split(call.shape(0), axis);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = i / size_t(split.inner) % size_t(split.size);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] +
           bias[f];
  }
  narrow(x, *result);
}

std::span<const Entry> smp::reference::normOps() {
  static constexpr Entry entries[] = {
      {"layer_norm", 3, rowNorm</*centred=*/true>},
      {"rms_norm", 2, rowNorm</*centred=*/false>},
      {"batch_norm", 5, batchNorm}};
  return entries;
}
