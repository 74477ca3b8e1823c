// SPDX-License-Identifier: Apache-2.0
// Elements chosen by index.

#include "Gather.h"
#include "Strided.h"
#include "Table.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

std::vector<int64_t> smp::reference::readIndices(Call &call, size_t i) {
  if (!call.require(call.dtype(i) == DType::I32 || call.dtype(i) == DType::I64,
                    "indices must be i32 or i64, not " +
                        toString(call.type(i))))
    return {};
  return std::get<std::vector<int64_t>>(widen(call.operand(i)));
}

bool smp::reference::requireIndex(Call &call, int64_t index, int64_t bound) {
  return index >= 0 && index < bound
             ? true
             : call.require(false, "index " + std::to_string(index) +
                                       " is not in 0.." +
                                       std::to_string(bound - 1));
}

bool smp::reference::fitsBeside(const Shape &whole, const Shape &part,
                                int64_t axis) {
  if (whole.size() != part.size())
    return false;
  for (size_t d = 0; d < whole.size(); ++d)
    if (int64_t(d) != axis && part[d] > whole[d])
      return false;
  return true;
}

/// Fails the call unless each index is in 0..bound-1.
static void requireIndices(Call &call, const std::vector<int64_t> &indices,
                           int64_t bound) {
  for (int64_t index : indices)
    if (!requireIndex(call, index, bound))
      return;
}

static void gather(Call &call) {
  const Shape &input = call.shape(0), &chosen = call.shape(1);
  const int64_t axis = call.dimension("axis", input.size());
  const std::vector<int64_t> indices = readIndices(call, 1);
  if (call.failed())
    return;
  Shape shape(input.begin(), input.begin() + axis);
  shape.insert(shape.end(), chosen.begin(), chosen.end());
  shape.insert(shape.end(), input.begin() + axis + 1, input.end());
  const AxisSplit split(input, axis);
  requireIndices(call, indices, split.size);
  if (call.passSplatOn({call.dtype(0), shape}))
    return;
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result)
    return;
  const int64_t run = split.inner * int64_t(sizeOf(call.dtype(0)));
  auto to = result->bytes.begin();
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t index : indices)
      to = std::copy_n(call.operand(0).bytes.begin() +
                           (o * split.size + index) * run,
                       run, to);
}

static void gatherElements(Call &call) {
  const Shape &input = call.shape(0);
  const int64_t axis = call.dimension("axis", input.size());
  const std::vector<int64_t> indices = readIndices(call, 1);
  call.require(fitsBeside(input, call.shape(1), axis),
               "indices must not be larger than the input beside the axis");
  if (call.failed())
    return;
  requireIndices(call, indices, input[size_t(axis)]);
  if (call.passSplatOn({call.dtype(0), call.shape(1)}))
    return;
  HostTensor *result = call.makeResult({call.dtype(0), call.shape(1)});
  if (!result)
    return;
  const Shape strides = rowMajorStrides(input);
  const int64_t size = int64_t(sizeOf(call.dtype(0)));
  auto to = result->bytes.begin();
  size_t at = 0;
  for (Indices i(call.shape(1)); i.valid(); i.next(), ++at) {
    const int64_t from =
        offsetOf(i.index(), strides) +
        (indices[at] - i.index()[size_t(axis)]) * strides[size_t(axis)];
    to = std::copy_n(call.operand(0).bytes.begin() + from * size, size, to);
  }
}

std::optional<Tuples> smp::reference::readTuples(Call &call, int64_t batch) {
  const Shape &input = call.shape(0), &shape = call.shape(1);
  std::vector<int64_t> indices = readIndices(call, 1);
  const int64_t rank = int64_t(shape.size()), width = rank ? shape.back() : -1;
  if (!call.require(
          batch >= 0 && batch < rank && width >= 0 &&
              batch + width <= int64_t(input.size()) &&
              std::equal(input.begin(), input.begin() + batch, shape.begin()),
          "index tuples " + toString(call.type(1)) + " do not fit " +
              toString(call.type(0))) ||
      call.failed())
    return std::nullopt;
  Tuples tuples;
  tuples.sliceShape.assign(input.begin() + batch + width, input.end());
  tuples.slice = numElements(tuples.sliceShape);
  tuples.shape.assign(shape.begin(), shape.end() - 1);
  const int64_t total = numElements(tuples.shape);
  const int64_t batches =
      numElements(Shape(input.begin(), input.begin() + batch));
  const Shape strides = rowMajorStrides(input);
  const int64_t batchSize = batch ? strides[size_t(batch - 1)] : 0;
  for (int64_t t = 0; t < total; ++t) {
    int64_t offset = t / (total / batches) * batchSize;
    for (int64_t w = 0; w < width; ++w) {
      const int64_t index = indices[size_t(t * width + w)];
      if (!requireIndex(call, index, input[size_t(batch + w)]))
        return std::nullopt;
      offset += index * strides[size_t(batch + w)];
    }
    tuples.offsets.push_back(offset);
  }
  return tuples;
}

static void gatherNd(Call &call) {
  const std::optional<Tuples> tuples =
      readTuples(call, call.integer("batch_dims"));
  if (!tuples)
    return;
  Shape shape = tuples->shape;
  shape.insert(shape.end(), tuples->sliceShape.begin(),
               tuples->sliceShape.end());
  if (call.passSplatOn({call.dtype(0), shape}))
    return;
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result)
    return;
  const int64_t size = int64_t(sizeOf(call.dtype(0)));
  auto to = result->bytes.begin();
  for (int64_t offset : tuples->offsets)
    to = std::copy_n(call.operand(0).bytes.begin() + offset * size,
                     tuples->slice * size, to);
}

std::span<const Entry> smp::reference::gatherOps() {
  static constexpr Entry entries[] = {
      {"gather", 2, gather, 1, Splats::Kept},
      {"gather_elements", 2, gatherElements, 1, Splats::Kept},
      {"gather_nd", 2, gatherNd, 1, Splats::Kept}};
  return entries;
}
