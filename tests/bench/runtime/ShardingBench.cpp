// SPDX-License-Identifier: Apache-2.0
// A plan of 10^5 slices: cut, checked, and as a manifest written and read.
#include "smp/checkpoint/Sharding.h"
#include "smp/serialization/CheckpointManifest.h"
#include <benchmark/benchmark.h>

using namespace smp;

static std::vector<ShardableTensor> tensors() {
  ShardableTensor tensor;
  tensor.name = tensor.saveSpec = "w";
  tensor.checkpointKey = "model/w";
  tensor.shape = {1000, 1000};
  tensor.device = "/job:smp/replica:0/task:0";
  tensor.tensor = {DType::F32,    tensor.shape, wholeOf(tensor.shape),
                   tensor.device, nullptr,      {4000, 4}};
  return {tensor};
}

static void planOf100000Slices(benchmark::State &state) {
  const MaxShardSizePolicy policy(40); // Ten elements.
  for (auto _ : state) {
    auto shards = policy(tensors());
    if (!shards.ok() || shards->size() != 100000 ||
        !validateShards(policy, tensors(), *shards).ok())
      state.SkipWithError("no plan");
  }
}
BENCHMARK(planOf100000Slices)->Unit(benchmark::kMillisecond);

static void manifestOf100000Slices(benchmark::State &state) {
  CheckpointManifest manifest;
  manifest.files = {{"ckpt-1.model.safetensors", {}}};
  manifest.items = {{"model/w", {DType::F32, {1000, 1000}}, {}}};
  for (int64_t i = 0; i < 100000; ++i) {
    const TensorSlice box{{i / 100, i % 100 * 10}, {1, 10}};
    manifest.items[0].slices.push_back({0, toString(box), box});
  }
  for (auto _ : state)
    if (!parseCheckpointManifest(formatCheckpointManifest(manifest)).ok())
      state.SkipWithError("it is not read");
}
BENCHMARK(manifestOf100000Slices)->Unit(benchmark::kMillisecond);
