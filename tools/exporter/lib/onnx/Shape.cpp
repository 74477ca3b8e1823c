// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace smp::onnx {

static std::vector<int64_t> axesOf(const Shape &shape) {
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

static std::string slice(Call &call) {
  Nodes &onnx = call.nodes();
  if (call.shape(0).empty()) {
    call.give("Identity", {call.operand(0)});
    return {};
  }
  call.give("Slice",
            {call.operand(0), onnx.ints(call.ints("starts")),
             onnx.ints(call.ints("limits")), onnx.ints(axesOf(call.shape(0))),
             onnx.ints(call.ints("strides"))});
  return {};
}

static std::string reverse(Call &call) {
  Nodes &onnx = call.nodes();
  const std::vector<int64_t> &axes = call.ints("dimensions");
  const std::vector<int64_t> last(axes.size(), -1),
      beforeFirst(axes.size(), std::numeric_limits<int64_t>::min());
  call.give("Slice", {call.operand(0), onnx.ints(last), onnx.ints(beforeFirst),
                      onnx.ints(axes), onnx.ints(last)});
  return {};
}

/// Elements apart by `interior` along each dimension, which are behind the last
/// one, too: each is padded in a dimension of its own, which is then joined.
static std::string spread(Call &call, const std::vector<int64_t> &interior) {
  Shape apart, joined;
  std::vector<int64_t> none, behind;
  for (size_t i = 0; i < interior.size(); ++i) {
    const int64_t size = call.size(0, int64_t(i));
    apart.insert(apart.end(), {size, 1});
    joined.push_back(size * (1 + interior[i]));
    none.insert(none.end(), {0, 0});
    behind.insert(behind.end(), {0, interior[i]});
  }
  none.insert(none.end(), behind.begin(), behind.end());
  const std::string padded =
      call.make("Pad",
                {call.reshaped(call.operand(0), call.shape(0), apart),
                 call.nodes().ints(none), call.operand(1)},
                {{"mode", std::string("constant")}});
  return call.reshaped(padded, {}, joined);
}

static std::string pad(Call &call) {
  const std::vector<int64_t> &interior = call.ints("interior");
  std::vector<int64_t> pads = call.ints("low"), high = call.ints("high");
  std::string input = call.operand(0);
  for (const int64_t size : interior)
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      return "with " + std::to_string(size) + " elements between two";
  if (std::ranges::any_of(interior, [](int64_t size) { return size != 0; })) {
    input = spread(call, interior);
    for (size_t i = 0; i < std::min(high.size(), interior.size()); ++i)
      high[i] -= call.size(0, int64_t(i)) > 0 ? interior[i] : 0;
  }
  pads.insert(pads.end(), high.begin(), high.end());
  if (pads.empty()) {
    call.give("Identity", {call.operand(0)});
    return {};
  }
  const std::string mode = call.word("mode", "constant");
  Names inputs = {input, call.nodes().ints(pads)};
  if (mode == "constant")
    inputs.push_back(call.operand(1));
  call.give("Pad", inputs, {{"mode", mode}});
  return {};
}

static std::string concat(Call &call) {
  call.give("Concat", call.operands(), {{"axis", call.integer("axis")}});
  return {};
}

void addShape(Table &table) {
  table.insert({{"slice", slice},
                {"reverse", reverse},
                {"pad", pad},
                {"concat", concat}});
}

} // namespace smp::onnx
