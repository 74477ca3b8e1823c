// SPDX-License-Identifier: Apache-2.0
#include "Shards.h"

namespace smp {

namespace {

/// Fills a shard after the other.
class Cutter {
public:
  explicit Cutter(int64_t most) : most(most), remaining(most) {}

  Status add(const ShardableTensor &given) {
    tensor = &given;
    const TensorSlice &all = given.tensor.slice;
    if (bytesOf(all) > remaining && all.extent.empty())
      return addScalar();
    return add(all);
  }

  std::vector<Shard> finish() {
    shards.push_back(std::move(open));
    for (Shard &shard : oversize)
      shards.push_back(std::move(shard));
    std::erase_if(shards, [](const Shard &shard) { return shard.empty(); });
    return std::move(shards);
  }

private:
  int64_t bytesOf(const TensorSlice &slice) const {
    return TensorType{tensor->dtype, slice.extent}.bytes();
  }

  void openNext() {
    shards.push_back(std::move(open));
    open = Shard();
    remaining = most;
  }

  void put(const TensorSlice &slice) {
    addTo(open, *tensor, slice);
    remaining -= bytesOf(slice);
    if (remaining == 0)
      openNext();
  }

  /// That does not fit into the open shard.
  Status addScalar() {
    const TensorSlice &all = tensor->tensor.slice;
    if (bytesOf(all) > most) {
      addTo(oversize.emplace_back(), *tensor, all);
      return Status();
    }
    openNext();
    put(all);
    return Status();
  }

  Status add(TensorSlice rest) {
    while (bytesOf(rest) > remaining) {
      auto [axis, length] = chooseCut(rest);
      if (length > 0) {
        put(cutFront(rest, axis, length));
      } else if (fitsAlong(rest)) {
        openNext();
      } else { // No slice along one axis fits into any shard.
        axis = 0;
        while (axis < rest.extent.size() && rest.extent[axis] == 1)
          ++axis;
        if (axis == rest.extent.size())
          return invalidArgument("an element of '" + tensor->checkpointKey +
                                 "' has " + std::to_string(bytesOf(rest)) +
                                 " bytes; a shard has at most " +
                                 std::to_string(most));
        SMP_RETURN_IF_ERROR(add(cutFront(rest, axis, 1)));
      }
    }
    put(rest);
    return Status();
  }

  /// The axis with fewest cuts into parts that fit, and how much of it is cut
  /// off; 0: none.
  std::pair<size_t, int64_t> chooseCut(const TensorSlice &rest) const {
    const int64_t bytes = bytesOf(rest);
    std::pair<size_t, int64_t> best{0, 0};
    int64_t fewest = INT64_MAX;
    for (size_t axis = 0; axis < rest.extent.size(); ++axis) {
      const int64_t size = rest.extent[axis];
      const int64_t fitting = remaining / (bytes / size);
      if (fitting == 0)
        continue;
      const int64_t parts = (size + fitting - 1) / fitting;
      if (parts >= fewest || bytes / parts > remaining)
        continue;
      fewest = parts;
      best = {axis, (size + parts - 1) / parts};
    }
    return best;
  }

  /// Whether one index of some axis fits into an empty shard.
  bool fitsAlong(const TensorSlice &rest) const {
    for (const int64_t size : rest.extent)
      if (bytesOf(rest) / size <= most)
        return true;
    return false;
  }

  static TensorSlice cutFront(TensorSlice &rest, size_t axis, int64_t length) {
    TensorSlice front = rest;
    front.extent[axis] = length;
    rest.offset[axis] += length;
    rest.extent[axis] -= length;
    return front;
  }

  const int64_t most;
  int64_t remaining;
  const ShardableTensor *tensor = nullptr; // That is being added.
  Shard open;
  std::vector<Shard> shards, oversize;
};

} // namespace

std::string MaxShardSizePolicy::description() const {
  return "Split tensors into shards with a max shard size.";
}

std::map<std::string, std::string> MaxShardSizePolicy::arguments() const {
  return {{"max_shard_size", std::to_string(most)}};
}

StatusOr<std::vector<Shard>> MaxShardSizePolicy::operator()(
    const std::vector<ShardableTensor> &tensors) const {
  if (most <= 0)
    return invalidArgument("a shard has at most " + std::to_string(most) +
                           " bytes; give MaxShardSizePolicy at least 1");
  Cutter cutter(most);
  for (const ShardableTensor &tensor : tensors)
    SMP_RETURN_IF_ERROR(cutter.add(tensor));
  return cutter.finish();
}

} // namespace smp
