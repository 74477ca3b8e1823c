// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Shards.h"
#include "Text.h"
#include <algorithm>

namespace smp {

using namespace text;

std::optional<std::string> checkShape(const Layout &layout,
                                      const Shape &shape) {
  if (layout.isEmpty())
    return say("a tensor % is in empty_layout, which is on no device; give it "
               "a layout",
               {toString(shape)});
  if (layout.rank() != shape.size())
    return say("the layout has % sharding specs, and a tensor % has % axes; "
               "give each axis one",
               {layout.rank(), toString(shape), shape.size()});
  if (!checkedNumElements(shape))
    return say(
        "a tensor % has a negative size, or too many elements to be counted",
        {toString(shape)});
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (layout.numShards(axis) < 0)
      return say("axis % of the layout is 'match', which is no dimension yet; "
                 "name one, or 'unsharded'",
                 {axis});
  return std::nullopt;
}

/// One of `parts` parts of an axis, by the chunk rule. There are fewer than
/// 2^17 parts, so that no product is too large.
static void cutAxis(int64_t parts, int64_t part, int64_t &offset,
                    int64_t &extent) {
  const int64_t length = extent;
  const int64_t chunk = length / parts + (length % parts != 0);
  offset = std::min(part * chunk, length);
  extent = std::min(chunk, length - offset);
}

TensorSlice shardOf(const Layout &layout, const Shape &shape,
                    int64_t deviceId) {
  const Mesh &mesh = layout.mesh();
  const std::vector<int64_t> place = mesh.coordinates(deviceId);
  TensorSlice shard = wholeOf(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (const auto dimension = mesh.find(layout.specs()[axis]))
      cutAxis(mesh.dimensions()[*dimension].size, place[*dimension],
              shard.offset[axis], shard.extent[axis]);
  return shard;
}

std::vector<SliceWriter> sliceWriters(const Layout &layout,
                                      const Shape &shape) {
  const Mesh &mesh = layout.mesh();
  if (numElements(shape) == 0)
    return {{mesh.globalDeviceIds().front(), wholeOf(shape)}};
  // Devices that differ along other dimensions only have the same slice.
  std::vector<bool> isReplicated(mesh.dimensions().size(), true);
  for (const std::string &spec : layout.specs())
    if (const auto dimension = mesh.find(spec))
      isReplicated[*dimension] = false;
  std::vector<SliceWriter> writers;
  for (int64_t id : mesh.globalDeviceIds()) {
    const std::vector<int64_t> place = mesh.coordinates(id);
    bool isLowest = true;
    for (size_t d = 0; d < place.size(); ++d)
      isLowest &= !isReplicated[d] || place[d] == 0;
    if (!isLowest)
      continue;
    TensorSlice slice = shardOf(layout, shape, id);
    if (numElements(slice.extent) > 0)
      writers.push_back({id, std::move(slice)});
  }
  return writers;
}

std::string sliceSpec(const TensorSlice &slice, const Shape &shape) {
  if (slice == wholeOf(shape))
    return "";
  std::vector<std::string> axes;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    axes.push_back(slice.extent[axis] == shape[axis]
                       ? "-"
                       : say("%,%", {slice.offset[axis], slice.extent[axis]}));
  return joined(shape, " ") + ' ' + joined(axes, ":");
}

} // namespace smp
