// SPDX-License-Identifier: Apache-2.0
// What a policy is given of a Session on several partitions, of values in parts
// and of values of the application.
#include "RankTraining.h"
#include "smp/base/Lists.h"
#include "smp/serialization/CheckpointManifest.h"
#include <algorithm>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

/// All nine fields, and what the first of them has beside its type.
std::string textOf(const ShardableTensor &tensor) {
  const ShardTensor &part = tensor.tensor;
  return tensor.toString() + " has [" + toString(part.slice) + "] of " +
         part.task + " by strides " + join(part.strides, ",");
}

/// Keeps what it is given, call by call.
class RecordingPolicy : public ShardingCallback {
public:
  std::string description() const override { return "records"; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override {
    calls.push_back(tensors);
    return ShardByTaskPolicy()(tensors);
  }
  mutable std::vector<std::vector<ShardableTensor>> calls;
};

/// f32[5x3], whose rows are on two devices, of one rank or of two.
ShardedValue rowsOf(MeshClient client) {
  Names devices;
  for (int64_t i = 0; i < 2 / client.count; ++i)
    devices.push_back("cpu:" + std::to_string(i));
  const Mesh mesh = Mesh::create({{"x", 2}}, devices, "", client).take();
  const Layout layout = Layout::create({"x", "unsharded"}, mesh).take();
  return ShardedValue::zeros({DType::F32, {5, 3}}, layout).take();
}

/// What one task has, as textOf() says it.
class ExpectedTexts {
public:
  explicit ExpectedTexts(uint32_t rank)
      : task("/job:smp/replica:0/task:" + std::to_string(rank)) {}

  void addVariable(const std::string &root, const std::string &name,
                   const std::string &place) {
    const std::string key = root + "/" + name;
    texts.insert(
        "ShardableTensor(tensor_save_spec=" + (root == "model" ? name : key) +
        ", tensor=f32[2x8], dtype=f32, device=" + task + place +
        ", name=" + name + ", shape=[2,8], slice_spec=, checkpoint_key=" + key +
        ", trackable=" + root + ") has [0,2:0,8] of " + task +
        " by strides 32,4");
  }
  void addRows(const std::string &type, const std::string &slice) {
    texts.insert("ShardableTensor(tensor_save_spec=rows, tensor=" + type +
                 ", dtype=f32, device=" + task +
                 ", name=rows, shape=[5,3], slice_spec=" + slice +
                 ", checkpoint_key=rows, trackable=rows) has [" + slice +
                 "] of " + task + " by strides 12,4");
  }
  void addCounter() {
    texts.insert("ShardableTensor(tensor_save_spec=save_counter, tensor=i64[], "
                 "dtype=i64, device=" +
                 task +
                 ", name=save_counter, shape=[], slice_spec=, "
                 "checkpoint_key=save_counter, trackable=save_counter) has [] "
                 "of " +
                 task + " by strides ");
  }

  const std::string task;
  std::multiset<std::string> texts;
};

/// Rank 1 of two has partition 1 and the last rows, rank 0 all the rest.
std::multiset<std::string> expectedOf(uint32_t rank, uint32_t ranks) {
  ExpectedTexts expected(rank);
  for (uint32_t i = 0; i < kPartitions; ++i) {
    if (rank != (ranks == 2 && i == 1 ? 1u : 0u))
      continue;
    const std::string number = std::to_string(i);
    const std::string place = ":partition:" + number;
    expected.addVariable("model", "w" + number, place);
    expected.addVariable("model", "fixed" + number, place);
    expected.addVariable("optimizer", "w" + number + ".m", place);
  }
  if (rank == 0) {
    expected.addVariable("model", "unused", "");
    expected.addCounter();
    expected.addRows("f32[3x3]", "0,3:0,3");
  }
  if (rank + 1 == ranks)
    expected.addRows("f32[2x3]", "3,2:0,3");
  return expected.texts;
}

/// On how many ranks.
class PolicyArgumentsTest : public testing::TestWithParam<uint32_t> {
protected:
  TemporaryFolder folder;
};

TEST_P(PolicyArgumentsTest, EachTaskCallsItOnceWithAllThatItHas) {
  const uint32_t ranks = GetParam();
  onThreads(ranks, [&](Communicator &mine) {
    RankTraining training(ranks > 1 ? &mine : nullptr);
    ShardedValue rows = rowsOf({mine.rank(), ranks});
    const auto policy = std::make_shared<RecordingPolicy>();
    CheckpointManager manager(Checkpoint(training, {{"rows", rows}}),
                              {.directory = folder.path(), .sharding = policy});
    save(manager);
    ASSERT_EQ(policy->calls.size(), 1u) << "rank " << mine.rank();
    std::multiset<std::string> given;
    for (const ShardableTensor &tensor : policy->calls.front())
      given.insert(textOf(tensor));
    EXPECT_EQ(given, expectedOf(mine.rank(), ranks)) << "rank " << mine.rank();
  });
}

/// By what follows the task in a device.
TEST_P(PolicyArgumentsTest, ByPartitionEachHasFilesOfItsOwn) {
  const uint32_t ranks = GetParam();
  onThreads(ranks, [&](Communicator &mine) {
    RankTraining training(ranks > 1 ? &mine : nullptr);
    CheckpointManager manager(
        training, {.directory = folder.path(),
                   .sharding = std::make_shared<ShardByPartitionPolicy>()});
    save(manager);
  });
  const auto manifest = parseCheckpointManifest(folder.read("ckpt-1.json"));
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  std::vector<std::set<std::string>> keys(manifest->files.size());
  for (const CheckpointManifest::Item &item : manifest->items)
    for (const CheckpointManifest::Slice &slice : item.slices)
      keys[slice.file].insert(item.key);
  std::ranges::sort(keys);
  EXPECT_EQ(keys, (std::vector<std::set<std::string>>{
                      {"model/fixed0", "model/unused", "model/w0"},
                      {"model/fixed1", "model/w1"},
                      {"model/fixed2", "model/w2"},
                      {"optimizer/w0.m", "save_counter"},
                      {"optimizer/w1.m"},
                      {"optimizer/w2.m"}}));
}

INSTANTIATE_TEST_SUITE_P(Ranks, PolicyArgumentsTest, testing::Values(1u, 2u));

} // namespace
