// SPDX-License-Identifier: Apache-2.0
#include "Padding.h"
#include "TensorFlowTables.h"
#include <algorithm>

namespace smp::tensorflow {

using Ints = std::vector<int64_t>;

/// PadV2 has so many dimensions.
static constexpr size_t kMostToPad = 6;

std::string scalarIndex(Call &call, int64_t value) {
  return call.nodes().constant({DType::I64, {}},
                               std::as_bytes(std::span(&value, 1)));
}

exporter::Node concatenated(Call &call, const Names &values, int64_t axis) {
  Names inputs = values;
  inputs.push_back(scalarIndex(call, axis));
  return {"ConcatV2",
          inputs,
          {{"N", int64_t(values.size())}, {"Tidx", DType::I64}}};
}

static std::string slice(Call &call) {
  call.give(sliced(call, call.operand(0), call.ints("starts"),
                   call.ints("limits"), call.ints("strides")));
  return {};
}

static std::string reverse(Call &call) {
  call.give("ReverseV2",
            {call.operand(0), call.nodes().ints(call.ints("dimensions"))});
  return {};
}

static std::string concat(Call &call) {
  call.give(concatenated(call, call.operands(), call.integer("axis")));
  return {};
}

/// TensorFlow repeats along two runs of dimensions at a time.
static std::string broadcast(Call &call) {
  Shape shape;
  if (std::string why = exporter::alignToResult(call, shape); !why.empty())
    return why;
  const Shape &wanted = call.result().shape;
  std::string value = call.reshaped(call.operand(0), call.shape(0), shape);
  int runs = 0;
  bool isRun = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool isRepeated = shape[i] != wanted[i];
    if (isRepeated && !isRun && ++runs > 2) {
      value = call.make(call.nodes().expand(value, shape));
      runs = 1;
    }
    isRun = isRepeated;
    shape[i] = wanted[i];
  }
  call.give(call.nodes().expand(value, wanted));
  return {};
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

namespace {

/// One dimension of a pad.
struct Side {
  int64_t size, low, high, interior;

  /// Whether that is its size.
  bool gives(int64_t padded) const {
    const __int128 gaps = __int128(interior) * std::max<int64_t>(size - 1, 0);
    return interior >= 0 && gaps + size + low + high == padded;
  }
  /// Where the element at a place comes from, in a mode that copies.
  int64_t copied(const std::string &mode, int64_t place) const {
    if (mode == "edge")
      return std::clamp<int64_t>(place, 0, size - 1);
    if (mode == "wrap")
      return place < 0 ? place + size : place >= size ? place - size : place;
    return place < 0 ? -place : place >= size ? 2 * (size - 1) - place : place;
  }
  /// The same of a constant, which is behind the last element.
  int64_t filled(int64_t place) const {
    const int64_t step = interior + 1;
    return place < 0 || place % step || place / step >= size ? size
                                                             : place / step;
  }
};

} // namespace

/// One dimension after the other, where PadV2 has no such padding.
static std::string padByIndices(Call &call, const std::vector<Side> &sides,
                                const std::string &mode) {
  const Shape &padded = call.result().shape;
  std::string value = call.operand(0);
  Shape shape = call.shape(0);
  for (size_t i = 0; i < sides.size(); ++i) {
    const Side &side = sides[i];
    if (!side.low && !side.high && !side.interior)
      continue;
    const bool isConstant = mode == "constant";
    if (isConstant) {
      Shape one = shape;
      one[i] = 1;
      const std::string fill = call.make(call.nodes().expand(
          call.reshaped(call.operand(1), {}, Shape(shape.size(), 1)), one));
      value = call.make(concatenated(call, {value, fill}, int64_t(i)));
    }
    Ints places;
    for (int64_t at = 0; at < padded[i]; ++at)
      places.push_back(isConstant ? side.filled(at - side.low)
                                  : side.copied(mode, at - side.low));
    value = call.make("GatherV2", {value, call.nodes().ints(places),
                                   scalarIndex(call, int64_t(i))});
    shape[i] = padded[i];
  }
  return value;
}

static std::string pad(Call &call) {
  const Ints &low = call.ints("low"), &high = call.ints("high"),
             &interior = call.ints("interior");
  const Shape &shape = call.shape(0);
  const std::string mode = call.word("mode", "constant");
  const Shape &padded = call.result().shape;
  for (const size_t count :
       {low.size(), high.size(), interior.size(), padded.size()})
    if (count != shape.size())
      return "without a padding per dimension";
  std::vector<Side> sides;
  Padding padding(call.operand(0), shape);
  bool isPlain = mode == "constant" && shape.size() <= kMostToPad;
  for (size_t i = 0; i < shape.size(); ++i) {
    sides.push_back({shape[i], low[i], high[i], interior[i]});
    if (!sides.back().gives(padded[i]))
      return "of another size than its result";
    if (mode != "constant" && shape[i] == 0)
      return "of no elements to copy";
    isPlain = isPlain && interior[i] == 0;
    padding.set(i, low[i], high[i]);
  }
  if (!isPlain && !padded.empty() && std::ranges::max(padded) > kMostIndices)
    return "of more than " + std::to_string(kMostIndices) +
           " elements along a dimension";
  call.give("Identity", {isPlain ? padding.make(call, call.operand(1))
                                 : padByIndices(call, sides, mode)});
  return {};
}

void addShape(Table &table) {
  table.insert({{"broadcast", broadcast},
                {"slice", slice},
                {"reverse", reverse},
                {"pad", pad},
                {"concat", concat}});
}

} // namespace smp::tensorflow
