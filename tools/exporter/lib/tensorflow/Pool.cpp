// SPDX-License-Identifier: Apache-2.0
// Windows: one spatial dimension after the other, the elements under each
// window are gathered and reduced. TensorFlow's own pooling leaves open what
// a NaN does, and has few types, no dilations and no sums.
#include "Padding.h"
#include "TensorFlowTables.h"
#include <limits>

namespace smp::tensorflow {

using Ints = std::vector<int64_t>;

namespace {

struct Window {
  int64_t size, stride, dilation, low, high;
  size_t axis;
  int64_t inputs, outputs; // Of the axis.

  /// The place in the padded input.
  int64_t at(int64_t output, int64_t position) const {
    return output * stride + position * dilation;
  }
  bool isAll() const { return size == 1 && stride == 1; }
};

struct Reduction {
  const char *node;
  double neutral;
};

} // namespace

static std::vector<Window> windowsOf(const Call &call) {
  const Ints &sizes = call.ints("window");
  const bool isLast = call.word("layout", "channels_first") == "channels_last";
  std::vector<Window> windows;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t axis = i + (isLast ? 1 : 2);
    windows.push_back({sizes[i], call.ints("strides")[i],
                       call.ints("dilations")[i], call.ints("low")[i],
                       call.ints("high")[i], axis, call.shape(0)[axis],
                       call.result().shape[axis]});
  }
  return windows;
}

/// Why there is no such window; "" where there is.
static std::string check(const Call &call) {
  const size_t spatial = call.ints("window").size();
  for (const char *list : {"strides", "low", "high", "dilations"})
    if (call.ints(list).size() != spatial)
      return std::string("without a number in '") + list + "' per dimension";
  for (const size_t rank : {call.shape(0).size(), call.result().shape.size()})
    if (rank != spatial + 2)
      return "of rank " + std::to_string(rank);
  if (spatial > 4) // PadV2 has six dimensions at most.
    return "over " + std::to_string(spatial) + " dimensions";
  for (const Window &window : windowsOf(call))
    if (checkedNumElements({window.outputs, window.size}).value_or(INT64_MAX) >
        kMostIndices)
      return "of a window of " + std::to_string(window.size) + " elements";
  return {};
}

/// What is under each window, reduced.
static std::string slide(Call &call, const std::string &input,
                         const Reduction &reduction) {
  const std::vector<Window> windows = windowsOf(call);
  Padding padding(input, call.shape(0));
  for (const Window &window : windows)
    padding.set(window.axis, window.low, window.high);
  std::string value = padding.make(call, call.scalar(reduction.neutral));
  for (const Window &window : windows) {
    if (window.isAll())
      continue;
    Ints places;
    for (int64_t output = 0; output < window.outputs; ++output)
      for (int64_t position = 0; position < window.size; ++position)
        places.push_back(window.at(output, position));
    const std::string indices =
        call.nodes().constant({DType::I64, {window.outputs, window.size}},
                              std::as_bytes(std::span(places)));
    const auto axis = int64_t(window.axis);
    const std::string under =
        call.make("GatherV2", {value, indices, scalarIndex(call, axis)});
    value = call.make(reduction.node, {under, call.nodes().ints({axis + 1})});
  }
  return value;
}

static std::string windowReduce(Call &call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const std::map<std::string, Reduction> kKinds = {
      {"sum", {"Sum", 0}},
      {"sum_squares", {"Sum", 0}},
      {"prod", {"Prod", 1}},
      {"max", {"Max", -kInfinity}},
      {"min", {"Min", kInfinity}}};
  if (std::string why = check(call); !why.empty())
    return why;
  const std::string word = call.word("kind", "sum");
  const auto kind = kKinds.find(word);
  if (kind == kKinds.end())
    return "of kind " + word;
  if (isFloat(call.dtype()))
    call.computeIn(word == "prod" ? DType::F64
                                  : exporter::withoutHalves(call.dtype()));
  std::string input = call.operand(0);
  if (word == "sum_squares")
    input = call.make("Mul", {input, input});
  call.give("Identity", {slide(call, input, kind->second)});
  return {};
}

/// How many positions of a window lie inside the input.
static double inside(const Window &window, int64_t output) {
  int64_t count = 0;
  for (int64_t position = 0; position < window.size; ++position) {
    const int64_t place = window.at(output, position) - window.low;
    count += place >= 0 && place < window.inputs;
  }
  return double(count);
}

/// By how many elements each mean divides: a factor per dimension.
static std::string divided(Call &call, std::string sums) {
  for (const Window &window : windowsOf(call)) {
    Shape along(call.shape(0).size(), 1);
    along[window.axis] = window.outputs;
    std::vector<double> numbers;
    for (int64_t output = 0; output < window.outputs; ++output)
      numbers.push_back(call.integer("count_padding") ? double(window.size)
                                                      : inside(window, output));
    const std::string count = call.nodes().constant(
        {DType::F64, along}, std::as_bytes(std::span(numbers)));
    sums = call.make("RealDiv",
                     {sums, call.cast(count, DType::F64, call.dtype())});
  }
  return sums;
}

static std::string avgPool(Call &call) {
  if (std::string why = check(call); !why.empty())
    return why;
  call.computeIn(exporter::withoutHalves(call.dtype()));
  const std::string sums = slide(call, call.operand(0), {"Sum", 0});
  call.give("Identity", {divided(call, sums)});
  return {};
}

void addPool(Table &table) {
  table.insert({{"avg_pool", avgPool}, {"window_reduce", windowReduce}});
}

} // namespace smp::tensorflow
