// SPDX-License-Identifier: Apache-2.0
// Products whose right operand is packed. A kernel's layout is its own matter;
// here a packed tensor is [products, depth, columns and padding], of the
// element type that products are summed in.

#include "Numbers.h"
#include "Products.h"
#include "Strided.h"
#include "Table.h"
#include "Window.h"
#include <algorithm>
#include <numeric>

using namespace smp;
using namespace smp::reference;

/// Columns and padding of a packed tensor of `elements`, for a product of these
/// dimensions; nothing (and a failure) when they do not fit.
static std::optional<int64_t> paddedColumns(Call &call, int64_t elements,
                                            const Shape &rows,
                                            int64_t columns) {
  const std::optional<int64_t> count = checkedNumElements(rows);
  const bool fits =
      count && columns >= 0 &&
      (*count == 0 ? elements == 0
                   : elements % *count == 0 && elements / *count >= columns);
  if (!call.require(fits, "a packed operand of " + std::to_string(elements) +
                              " elements does not hold products of " +
                              toString(rows) + " rows and " +
                              std::to_string(columns) + " columns"))
    return std::nullopt;
  return *count == 0 ? columns : elements / *count;
}

static DType accumulatorType(DType type) {
  return type == DType::F64 ? type : DType::F32;
}

static void pack(Call &call) {
  const Shape &from = call.shape(0), &to = call.resultTypes[0].shape;
  if (!call.require(isFloat(call.dtype(0)) && from.size() == 3 &&
                        to.size() == 1,
                    "packs floats [products, depth, columns] to one dimension"))
    return;
  const auto padded = paddedColumns(call, to[0], {from[0], from[1]}, from[2]);
  HostTensor *result = call.makeResult({accumulatorType(call.dtype(0)), to});
  if (!result || result->bytes.empty())
    return;
  const std::vector<double> input = widenFloats(call.operand(0));
  std::vector<double> packed;
  packed.resize(size_t(to[0]));
  for (int64_t row = 0; row < from[0] * from[1]; ++row)
    std::copy_n(input.begin() + row * from[2], from[2],
                packed.begin() + row * *padded);
  narrow(packed, *result);
}

/// Whether operand 1 is a packed operand for operand 0.
static bool requirePacked(Call &call) {
  return call.require(isFloat(call.dtype(0)) && call.shape(1).size() == 1 &&
                          call.dtype(1) == accumulatorType(call.dtype(0)),
                      toString(call.type(1)) + " is no packed operand for " +
                          toString(call.type(0)));
}

static void packedMatmul(Call &call) {
  const int64_t columns = call.integer("columns");
  const bool shared = call.flag("shared");
  Shape shape = call.shape(0);
  if (!requirePacked(call) ||
      !call.require(shape.size() >= 2, "lhs must have rank >= 2") ||
      call.failed())
    return;
  const int64_t depth = shape.back(), rows = shape[shape.size() - 2];
  const int64_t batch = numElements(Shape(shape.begin(), shape.end() - 2));
  const int64_t products = shared ? 1 : batch;
  const auto padded =
      paddedColumns(call, call.shape(1)[0], {products, depth}, columns);
  shape.back() = columns;
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result || result->bytes.empty())
    return;
  HostTensor rhs =
      HostTensor::zeros({call.dtype(1), {products, depth, columns}});
  copyStrided(call.operand(1), 0, {depth * *padded, *padded, 1}, rhs);
  narrow(multiply(widenFloats(call.operand(0)), widenFloats(rhs),
                  {products, shared ? batch * rows : rows, columns, depth}),
         *result);
}

static void packedConv(Call &call) {
  const int64_t groups = call.integer("groups"),
                features = call.integer("features");
  const std::vector<int64_t> &window = call.list("window");
  if (!requirePacked(call) ||
      !call.require(
          call.shape(0).size() >= 3 && groups >= 1 && features >= 0 &&
              features % groups == 0 && call.shape(0).back() % groups == 0,
          std::to_string(groups) + " groups must divide the features") ||
      call.failed())
    return;
  const int64_t inputs = call.shape(0).back() / groups,
                outputs = features / groups;
  Shape rows{groups, inputs};
  rows.insert(rows.end(), window.begin(), window.end());
  const auto padded = paddedColumns(call, call.shape(1)[0], rows, outputs);
  if (!padded)
    return;
  // From [group][window...][input][output] to
  // [group][output][input][window...].
  const int64_t depth = numElements(rows) / groups;
  Shape shape{groups, outputs, inputs}, strides{depth * *padded, 1, *padded};
  const Shape taps = rowMajorStrides(window);
  for (size_t d = 0; d < window.size(); ++d) {
    shape.push_back(window[d]);
    strides.push_back(taps[d] * inputs * *padded);
  }
  if (!call.require(checkedNumElements(shape).has_value(),
                    "the filter is impossibly large"))
    return;
  HostTensor filter = HostTensor::zeros({call.dtype(1), shape});
  copyStrided(call.operand(1), 0, strides, filter);
  filter.type.shape.erase(filter.type.shape.begin());
  filter.type.shape[0] = features;
  convolve(call, filter, groups, /*channelsLast=*/true);
}

static void depthwiseConv(Call &call) {
  const Shape &from = call.shape(1);
  if (!call.require(isFloat(call.dtype(0)) && call.dtype(0) == call.dtype(1) &&
                        !from.empty(),
                    "input and filter must be floats of one type"))
    return;
  // From [window..., feature] to [feature, 1, window...].
  std::vector<int64_t> order(from.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin(), int64_t(order.size()));
  HostTensor filter = reorder(call.operand(1), order);
  filter.type.shape.insert(filter.type.shape.begin() + 1, 1);
  convolve(call, filter, from.back(), /*channelsLast=*/true);
}

std::span<const Entry> smp::reference::packedOps() {
  static constexpr Entry entries[] = {{"pack", 1, pack},
                                      {"packed_matmul", 2, packedMatmul},
                                      {"packed_conv", 2, packedConv},
                                      {"depthwise_conv", 2, depthwiseConv}};
  return entries;
}
