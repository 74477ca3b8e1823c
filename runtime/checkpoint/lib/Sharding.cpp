// SPDX-License-Identifier: Apache-2.0
// Tensors as policies see them, and the policies that do not cut.
#include "smp/checkpoint/Sharding.h"
#include "Shards.h"
#include "smp/base/Lists.h"

namespace smp {

static size_t mix(size_t seed, const std::string &text) {
  return seed * 1099511628211u ^ std::hash<std::string>()(text);
}

std::string specOf(const TensorSlice &slice, const Shape &shape) {
  return slice == wholeOf(shape) ? std::string() : toString(slice);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

size_t ShardableTensor::hash() const {
  return mix(mix(mix(mix(0, name), std::string(smp::toString(dtype))), device),
             checkpointKey);
}

std::string ShardableTensor::toString() const {
  std::string text = "ShardableTensor(";
  auto add = [&](const char *field, const std::string &value) {
    text += (text.back() == '(' ? "" : ", ") + std::string(field) + "=" + value;
  };
  add("tensor_save_spec", saveSpec);
  add("tensor", smp::toString(TensorType{tensor.dtype, tensor.shape}));
  add("dtype", std::string(smp::toString(dtype)));
  add("device", device);
  add("name", name);
  add("shape", "[" + join(shape, ",") + "]");
  add("slice_spec", sliceSpec);
  add("checkpoint_key", checkpointKey);
  add("trackable", trackable);
  return text + ")";
}

ShardTensor ShardableTensor::part(const TensorSlice &slice) const {
  ShardTensor part = tensor;
  part.slice = slice;
  part.shape = slice.extent;
  for (size_t d = 0; part.bytes && d < shape.size(); ++d)
    part.bytes +=
        (slice.offset[d] - tensor.slice.offset[d]) * tensor.strides[d];
  return part;
}

int64_t ShardableTensor::bytes() const {
  return TensorType{dtype, tensor.shape}.bytes();
}

void addTo(Shard &shard, const ShardableTensor &tensor,
           const TensorSlice &slice) {
  shard[tensor.checkpointKey].insert_or_assign(specOf(slice, tensor.shape),
                                               tensor.part(slice));
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

size_t ShardingCallback::hash() const {
  size_t seed = mix(0, description());
  for (const auto &[name, value] : arguments())
    seed = mix(mix(seed, name), value);
  return seed;
}

std::string ShardByTaskPolicy::description() const {
  return "Split tensors into shards based on their device spec task.";
}

StatusOr<std::vector<Shard>> ShardByTaskPolicy::operator()(
    const std::vector<ShardableTensor> &tensors) const {
  std::map<std::string, Shard> byTask;
  for (const ShardableTensor &tensor : tensors)
    addTo(byTask[tensor.tensor.task], tensor, tensor.tensor.slice);
  std::vector<Shard> shards;
  for (auto &[task, shard] : byTask)
    shards.push_back(std::move(shard));
  return shards;
}

std::string ShardByPartitionPolicy::description() const {
  return "Split tensors into shards by the partition that holds them.";
}

StatusOr<std::vector<Shard>> ShardByPartitionPolicy::operator()(
    const std::vector<ShardableTensor> &tensors) const {
  std::map<std::pair<size_t, std::string>, Shard> byDevice; // In its order.
  std::string first;
  for (const ShardableTensor &tensor : tensors)
    if (tensor.device != tensor.tensor.task &&
        (first.empty() || std::pair(tensor.device.size(), tensor.device) <
                              std::pair(first.size(), first)))
      first = tensor.device;
  for (const ShardableTensor &tensor : tensors) {
    const bool isOfNone = tensor.device == tensor.tensor.task;
    const std::string &device = isOfNone ? first : tensor.device;
    addTo(byDevice[{device.size(), device}], tensor, tensor.tensor.slice);
  }
  std::vector<Shard> shards;
  for (auto &[device, shard] : byDevice)
    shards.push_back(std::move(shard));
  return shards;
}

} // namespace smp
