// SPDX-License-Identifier: Apache-2.0
#include "Slices.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace smp {

/// A tensor is not kept in more slices than this.
static constexpr size_t kMaxSlices = 65536;

Shape shapeOf(const Slice &slice) {
  Shape shape;
  for (const SliceExtent &extent : slice)
    shape.push_back(extent.length);
  return shape;
}

std::string toString(const Slice &slice) {
  return toString(shapeOf(slice)) + " from " +
         join(slice, ",", &SliceExtent::start);
}

StatusOr<Slice> resolveSlice(const Shape &shape,
                             std::span<const SliceExtent> extents) {
  if (extents.size() != shape.size())
    return dataLoss("a slice has " + std::to_string(extents.size()) +
                    " axes; the tensor has " + std::to_string(shape.size()));
  Slice slice(extents.begin(), extents.end());
  for (size_t i = 0; i < slice.size(); ++i) {
    SliceExtent &extent = slice[i];
    if (extent.length == -1 && extent.start == 0)
      extent.length = shape[i];
    if (extent.start < 0 || extent.length < 0 || extent.start > shape[i] ||
        extent.length > shape[i] - extent.start)
      return dataLoss("a slice has " + std::to_string(extent.length) +
                      " from " + std::to_string(extent.start) + " of axis " +
                      std::to_string(i) + ", which has " +
                      std::to_string(shape[i]));
  }
  return slice;
}

static bool overlap(const SliceExtent &a, const SliceExtent &b) {
  return std::max(a.start, b.start) <
         std::min(a.start + a.length, b.start + b.length);
}

static bool overlap(const Slice &a, const Slice &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!overlap(a[i], b[i]))
      return false;
  return true;
}

/// The axis along which most slices begin at places of their own.
static size_t cutAxis(const Shape &shape,
                      const std::vector<const Slice *> &slices) {
  size_t best = 0, most = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::set<int64_t> starts;
    for (const Slice *slice : slices)
      starts.insert((*slice)[axis].start);
    if (starts.size() > most)
      best = axis, most = starts.size();
  }
  return best;
}

/// Each is compared with those that begin before it ends.
static Status checkOverlaps(const Shape &shape,
                            std::vector<const Slice *> slices) {
  if (shape.empty() || slices.empty())
    return Status();
  const size_t axis = cutAxis(shape, slices);
  std::sort(slices.begin(), slices.end(), [&](const auto *a, const auto *b) {
    return (*a)[axis].start < (*b)[axis].start;
  });
  for (size_t i = 0; i < slices.size(); ++i) {
    const SliceExtent &extent = (*slices[i])[axis];
    for (size_t k = i + 1; k < slices.size(); ++k) {
      if ((*slices[k])[axis].start >= extent.start + extent.length)
        break;
      if (overlap(*slices[i], *slices[k]))
        return dataLoss("the slices " + toString(*slices[i]) + " and " +
                        toString(*slices[k]) + " overlap");
    }
  }
  return Status();
}

Status checkSlices(const Shape &shape, std::span<const Slice> slices) {
  if (slices.size() > kMaxSlices)
    return dataLoss("there are " + std::to_string(slices.size()) +
                    " slices; at most " + std::to_string(kMaxSlices));
  std::vector<const Slice *> filled;
  const auto total = uint64_t(numElements(shape));
  uint64_t sum = 0;
  for (const Slice &slice : slices)
    if (const auto elements = uint64_t(numElements(shapeOf(slice)))) {
      filled.push_back(&slice);
      sum += elements;
      if (sum > total)
        break; // Some overlap, and the sum stays a number.
    }
  SMP_RETURN_IF_ERROR(checkOverlaps(shape, std::move(filled)));
  if (sum != total)
    return dataLoss("the slices have " + std::to_string(sum) + " elements of " +
                    std::to_string(total));
  return Status();
}

void copySlice(const Shape &shape, const Slice &slice, size_t elementBytes,
               const std::byte *bytes, std::byte *tensor) {
  // What is together in both: all of the last axes, and some of one more.
  size_t axis = shape.size();
  size_t run = elementBytes;
  bool isAll = true;
  while (axis > 0 && isAll) {
    --axis;
    run *= size_t(slice[axis].length);
    isAll = slice[axis].length == shape[axis];
  }
  const Shape strides = rowMajorStrides(shape);
  const int64_t elements = numElements(shapeOf(slice));
  if (elements == 0)
    return;
  const size_t runs = size_t(elements) * elementBytes / run;
  Shape at(axis, 0); // Of the run, in the slice.
  for (size_t i = 0; i < runs; ++i, bytes += run) {
    int64_t offset = 0;
    for (size_t k = 0; k < shape.size(); ++k)
      offset += (slice[k].start + (k < axis ? at[k] : 0)) * strides[k];
    std::memcpy(tensor + size_t(offset) * elementBytes, bytes, run);
    for (size_t k = axis; k-- > 0;) {
      if (++at[k] < slice[k].length)
        break;
      at[k] = 0;
    }
  }
}

} // namespace smp
