// SPDX-License-Identifier: Apache-2.0
#include "Common.h"
#include <numeric>

namespace smp::exporter {

/// The numbers are in the graph: of more no reader has the memory.
static constexpr int64_t kMostCounted = int64_t(1) << 27;

/// The numbers along the dimension, in a shape that is 1 along others.
static std::string line(Call &call, const TensorType &type, size_t dimension) {
  const int64_t size = type.shape[dimension];
  std::vector<int64_t> numbers(size_t(size), 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  Shape along(type.shape.size(), 1);
  along[dimension] = size;
  const std::string counted =
      call.reshaped(call.nodes().ints(numbers), {size}, along);
  return call.cast(counted, DType::I64, type.dtype);
}

std::string count(Call &call, const TensorType &type, int64_t dimension) {
  return call.make(
      call.nodes().expand(line(call, type, size_t(dimension)), type.shape));
}

static std::string iota(Call &call) {
  const TensorType &type = call.result();
  const auto dimension = size_t(call.integer("dimension"));
  if (dimension >= type.shape.size())
    return "along no dimension of its own";
  if (type.shape[dimension] > kMostCounted)
    return "up to " + std::to_string(type.shape[dimension]);
  call.give(call.nodes().expand(line(call, type, dimension), type.shape));
  return {};
}

static std::string reshape(Call &call) {
  call.give(call.nodes().reshape(call.operand(0), call.result().shape));
  return {};
}

static std::string transpose(Call &call) {
  call.give(call.nodes().transpose(call.operand(0), call.ints("permutation")));
  return {};
}

std::string alignToResult(Call &call, Shape &aligned) {
  const std::vector<int64_t> &dimensions = call.ints("dimensions");
  aligned.assign(call.result().shape.size(), 1);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto to = size_t(dimensions[i]);
    if (to >= aligned.size())
      return "along no dimension of its own";
    aligned[to] = call.size(0, int64_t(i));
  }
  return {};
}

static std::string broadcast(Call &call) {
  Shape aligned;
  if (std::string why = alignToResult(call, aligned); !why.empty())
    return why;
  const std::string input =
      call.reshaped(call.operand(0), call.shape(0), aligned);
  call.give(call.nodes().expand(input, call.result().shape));
  return {};
}

static std::string identity(Call &call) {
  call.give("Identity", {call.operand(0)});
  return {};
}

void addCommon(Table &table) {
  table.insert({{"iota", iota},
                {"reshape", reshape},
                {"transpose", transpose},
                {"broadcast", broadcast},
                {"stop_gradient", identity}});
}

} // namespace smp::exporter
