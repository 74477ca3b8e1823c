// SPDX-License-Identifier: Apache-2.0
// Convolutions and windows. ONNX has the features second.
#include "OnnxTables.h"

namespace smp::onnx {

static bool isLast(const Call &call) {
  return call.word("layout", "channels_first") == "channels_last";
}

/// The first operand with its features second.
static std::string featuresSecond(Call &call) {
  const std::string value = call.operand(0);
  if (!isLast(call))
    return value;
  const auto rank = int64_t(call.shape(0).size());
  std::vector<int64_t> order{0, rank - 1};
  for (int64_t dim = 1; dim < rank - 1; ++dim)
    order.push_back(dim);
  return call.transposed(value, order);
}

/// Gives what a node makes, with its features where they were.
static void giveBack(Call &call, const char *node, const Names &inputs,
                     const Attributes &attributes) {
  if (!isLast(call))
    return call.give(node, inputs, attributes);
  const auto rank = int64_t(call.shape(0).size());
  std::vector<int64_t> order{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(1);
  call.give(call.nodes().transpose(call.make(node, inputs, attributes), order));
}

static Attributes windowOf(const Call &call,
                           const std::vector<int64_t> &window) {
  std::vector<int64_t> pads = call.ints("low");
  const std::vector<int64_t> &high = call.ints("high");
  pads.insert(pads.end(), high.begin(), high.end());
  return {{"kernel_shape", window},
          {"strides", call.ints("strides")},
          {"pads", pads},
          {"dilations", call.ints("dilations")}};
}

/// Why ONNX has no such window; "" where it has.
static std::string checkWindow(const Call &call) {
  if (!isFloat(call.dtype()))
    return "of integers";
  for (const char *side : {"low", "high"})
    for (const int64_t size : call.ints(side))
      if (size < 0)
        return "with negative padding";
  if (call.ints("strides").empty())
    return "without spatial dimensions";
  return {};
}

static std::string conv(Call &call) {
  if (std::string why = checkWindow(call); !why.empty())
    return why;
  const Shape &filter = call.shape(1);
  if (filter.size() < 2)
    return "with a filter of rank " + std::to_string(filter.size());
  const std::vector<int64_t> window(filter.begin() + 2, filter.end());
  call.computeIn(withoutBf16(call.dtype()));
  Attributes attributes = windowOf(call, window);
  attributes.push_back({"group", call.integer("groups")});
  giveBack(call, "Conv", {featuresSecond(call), call.operand(1)}, attributes);
  return {};
}

static std::string avgPool(Call &call) {
  if (std::string why = checkWindow(call); !why.empty())
    return why;
  call.computeIn(withoutBf16(call.dtype()));
  Attributes attributes = windowOf(call, call.ints("window"));
  attributes.push_back({"count_include_pad", call.integer("count_padding")});
  giveBack(call, "AveragePool", {featuresSecond(call)}, attributes);
  return {};
}

/// A sum is the mean over all of the window, padding too, times its size; a
/// least element is the greatest of the negatives, negated.
static std::string windowReduce(Call &call) {
  if (std::string why = checkWindow(call); !why.empty())
    return why;
  const std::string kind = call.word("kind", "sum");
  if (kind == "prod")
    return "of kind prod";
  call.computeIn(withoutBf16(call.dtype()));
  std::string input = featuresSecond(call);
  const std::vector<int64_t> &window = call.ints("window");
  const auto positions = checkedNumElements(window);
  if (!positions)
    return "of a window beyond all bounds";
  Attributes attributes = windowOf(call, window);
  if (kind == "max") {
    giveBack(call, "MaxPool", {input}, attributes);
    return {};
  }
  if (kind == "min") {
    const std::string most =
        call.make("MaxPool", {call.make("Neg", {input})}, attributes);
    giveBack(call, "Neg", {most}, {});
    return {};
  }
  if (kind == "sum_squares")
    input = call.make("Mul", {input, input});
  attributes.push_back({"count_include_pad", int64_t(1)});
  const std::string mean = call.make("AveragePool", {input}, attributes);
  giveBack(call, "Mul", {mean, call.scalar(double(*positions))}, {});
  return {};
}

void addWindow(Table &table) {
  table.insert(
      {{"conv", conv}, {"avg_pool", avgPool}, {"window_reduce", windowReduce}});
}

} // namespace smp::onnx
