// SPDX-License-Identifier: Apache-2.0
// Elements combined with updates at places chosen by index.

#include "Gather.h"
#include "Strided.h"
#include "Table.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

/// Combines updates[u] with element places[u] of the input, in order.
static void applyUpdates(Call &call, const std::vector<int64_t> &places) {
  const size_t word =
      call.word("kind", {"replace", "sum", "prod", "max", "min"});
  call.require(call.dtype(0) == call.dtype(2),
               "input and updates must have one element type");
  call.require(call.dtype(0) != DType::Bool || (word != 1 && word != 2),
               "bool is combined by replace, max (or) and min (and) only");
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  Numbers input = widen(call.operand(0)), updates = widen(call.operand(2));
  std::visit(
      [&](auto &list) {
        auto &update = std::get<std::decay_t<decltype(list)>>(updates);
        for (size_t u = 0; u < places.size(); ++u) {
          auto &element = list[size_t(places[u])];
          element = word == 0 ? update[u]
                              : combine(Kind(word - 1), element, update[u]);
          // 16-bit floats are rounded to their own type when all are in.
          if constexpr (std::is_same_v<std::decay_t<decltype(element)>, double>)
            element = roundToCompute(call.dtype(0), element);
        }
        narrow(list, *result);
      },
      input);
}

static void scatterElements(Call &call) {
  const Shape &input = call.shape(0), &part = call.shape(1);
  const int64_t axis = call.dimension("axis", input.size());
  const std::vector<int64_t> indices = readIndices(call, 1);
  call.require(part == call.shape(2),
               "indices and updates must have one shape");
  if (!call.require(
          fitsBeside(input, part, axis),
          "updates must not be larger than the input beside the axis") ||
      call.failed())
    return;
  const Shape strides = rowMajorStrides(input);
  std::vector<int64_t> places;
  for (Indices i(part); i.valid(); i.next()) {
    const int64_t index = indices[places.size()];
    if (!requireIndex(call, index, input[size_t(axis)]))
      return;
    places.push_back(offsetOf(i.index(), strides) +
                     (index - i.index()[size_t(axis)]) * strides[size_t(axis)]);
  }
  applyUpdates(call, places);
}

static void scatterNd(Call &call) {
  const std::optional<Tuples> tuples = readTuples(call, /*batchDims=*/0);
  if (!tuples)
    return;
  Shape shape = tuples->shape;
  shape.insert(shape.end(), tuples->sliceShape.begin(),
               tuples->sliceShape.end());
  if (!call.require(shape == call.shape(2),
                    "updates are " + toString(call.type(2)) +
                        "; their shape must be " + toString(shape)))
    return;
  std::vector<int64_t> places;
  for (int64_t offset : tuples->offsets)
    for (int64_t i = 0; i < tuples->slice; ++i)
      places.push_back(offset + i);
  applyUpdates(call, places);
}

std::span<const Entry> smp::reference::scatterOps() {
  static constexpr Entry entries[] = {{"scatter_elements", 3, scatterElements},
                                      {"scatter_nd", 3, scatterNd}};
  return entries;
}
