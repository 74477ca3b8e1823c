// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/ShardFiles.h"
#include "smp/serialization/CheckpointRoots.h"
#include <algorithm>
#include <tuple>

namespace smp {

std::string ShardPart::name() const {
  if (part.slice == wholeOf(tensor->shape))
    return tensor->saveSpec;
  return tensor->saveSpec + "[" + toString(part.slice) + "]";
}

static void addTo(std::vector<ShardFile> &files, ShardFile file) {
  if (file.empty())
    return;
  std::sort(file.begin(), file.end(), [](auto &one, auto &other) {
    return std::tie(one.tensor, one.part.slice.offset) <
           std::tie(other.tensor, other.part.slice.offset);
  });
  files.push_back(std::move(file));
}

/// By tasks: a policy sees what one of them has.
static StatusOr<std::vector<Shard>>
divide(const ShardingCallback &sharding,
       const std::vector<ShardableTensor> &tensors) {
  std::vector<Shard> all;
  for (auto begin = tensors.begin(); begin != tensors.end();) {
    const auto end = std::find_if(begin, tensors.end(), [&](const auto &each) {
      return each.tensor.task != begin->tensor.task;
    });
    const std::vector<ShardableTensor> ofTask(begin, end);
    SMP_ASSIGN_OR_RETURN(std::vector<Shard> shards, sharding(ofTask));
    SMP_RETURN_IF_ERROR(validateShards(sharding, ofTask, shards));
    std::ranges::move(shards, std::back_inserter(all));
    begin = end;
  }
  return all;
}

StatusOr<ShardFiles>
divideIntoFiles(const ShardingCallback &sharding,
                const std::vector<ShardableTensor> &tensors) {
  SMP_ASSIGN_OR_RETURN(const std::vector<Shard> shards,
                       divide(sharding, tensors));
  std::map<std::string_view, const ShardableTensor *> byKey;
  for (const ShardableTensor &tensor : tensors)
    byKey[tensor.checkpointKey] = &tensor;
  ShardFiles files;
  for (const Shard &shard : shards) {
    ShardFile model, state;
    for (const auto &[key, parts] : shard) {
      const ShardableTensor *tensor = byKey[key];
      ShardFile &file = tensor->trackable == kModelRoot ? model : state;
      for (const auto &[spec, part] : parts)
        file.push_back({tensor, part});
    }
    addTo(files.model, std::move(model));
    addTo(files.state, std::move(state));
  }
  return files;
}

} // namespace smp
