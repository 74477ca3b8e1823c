// SPDX-License-Identifier: Apache-2.0
// Boxes in a tree: the slices of a node are halved where their middles are
// spread the most, so that a search leaves out what is elsewhere.
#include "smp/model/Relayout.h"
#include <algorithm>
#include <numeric>

namespace smp {

/// So many are looked at one by one.
static constexpr size_t kLeaf = 8;

static void include(TensorSlice &box, const TensorSlice &slice) {
  for (size_t d = 0; d < box.offset.size(); ++d) {
    const int64_t end = std::max(box.offset[d] + box.extent[d],
                                 slice.offset[d] + slice.extent[d]);
    box.offset[d] = std::min(box.offset[d], slice.offset[d]);
    box.extent[d] = end - box.offset[d];
  }
}

static bool touch(const TensorSlice &one, const TensorSlice &other) {
  for (size_t d = 0; d < one.offset.size(); ++d)
    if (one.offset[d] >= other.offset[d] + other.extent[d] ||
        other.offset[d] >= one.offset[d] + one.extent[d])
      return false;
  return true;
}

Relayout::Relayout(std::vector<TensorSlice> slices)
    : sources(std::move(slices)) {
  for (size_t i = 0; i < sources.size(); ++i)
    if (numElements(sources[i].extent) > 0)
      order.push_back(i);
  if (!order.empty())
    build(0, order.size());
}

/// Where a slice is along a dimension, as far as halving them goes.
static int64_t middle(const TensorSlice &slice, size_t dimension) {
  return slice.offset[dimension] + slice.extent[dimension] / 2;
}

/// The dimension in which the middles are spread the most.
static size_t widest(std::span<const size_t> order,
                     const std::vector<TensorSlice> &sources) {
  size_t best = 0;
  int64_t most = -1;
  for (size_t d = 0; d < sources[order.front()].offset.size(); ++d) {
    int64_t low = INT64_MAX, high = 0;
    for (size_t i : order) {
      low = std::min(low, middle(sources[i], d));
      high = std::max(high, middle(sources[i], d));
    }
    if (high - low > most) {
      most = high - low;
      best = d;
    }
  }
  return best;
}

void Relayout::build(size_t first, size_t last) {
  const size_t node = nodes.size();
  TensorSlice box = sources[order[first]];
  for (size_t i = first + 1; i < last; ++i)
    include(box, sources[order[i]]);
  nodes.push_back({std::move(box), first, last});
  if (last - first <= kLeaf)
    return;
  const std::span<size_t> part(&order[first], last - first);
  const size_t d = widest(part, sources);
  std::nth_element(part.begin(), part.begin() + part.size() / 2, part.end(),
                   [&](size_t one, size_t other) {
                     return middle(sources[one], d) < middle(sources[other], d);
                   });
  const size_t half = first + part.size() / 2;
  build(first, half);
  nodes[node].other = nodes.size();
  build(half, last);
}

void Relayout::search(size_t number, const TensorSlice &target,
                      std::vector<size_t> &found) const {
  const Node &node = nodes[number];
  if (!touch(node.box, target))
    return;
  if (node.other) {
    search(number + 1, target, found);
    search(node.other, target, found);
    return;
  }
  for (size_t i = node.first; i < node.last; ++i)
    if (touch(sources[order[i]], target))
      found.push_back(order[i]);
}

static Shape difference(const Shape &one, const Shape &other) {
  Shape distance = one;
  for (size_t d = 0; d < one.size(); ++d)
    distance[d] -= other[d];
  return distance;
}

std::vector<SliceCopy> Relayout::into(const TensorSlice &target) const {
  std::vector<size_t> found;
  if (!nodes.empty() && numElements(target.extent) > 0)
    search(0, target, found);
  std::sort(found.begin(), found.end());
  std::vector<SliceCopy> copies;
  copies.reserve(found.size());
  for (size_t i : found) {
    TensorSlice common = *intersection(sources[i], target);
    copies.push_back({i, difference(common.offset, sources[i].offset),
                      difference(common.offset, target.offset),
                      std::move(common.extent)});
  }
  return copies;
}

} // namespace smp
