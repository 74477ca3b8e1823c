// SPDX-License-Identifier: Apache-2.0
// How policies divide tensors, and what is found wrong with what they did.
#include "smp/checkpoint/Sharding.h"
#include "CheckpointHelpers.h"
#include "RankTraining.h"
#include "smp/base/Lists.h"
#include "smp/serialization/CheckpointReader.h"
#include <atomic>

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;
const std::string kTask = "/job:smp/replica:0/task:0";

ShardableTensor tensorOf(const std::string &name, const Shape &shape,
                         DType dtype = DType::F32,
                         std::optional<TensorSlice> slice = {}) {
  ShardableTensor tensor;
  tensor.saveSpec = tensor.name = name;
  tensor.checkpointKey = "model/" + name;
  tensor.trackable = "model";
  tensor.dtype = dtype;
  tensor.device = kTask;
  tensor.shape = shape;
  if (slice)
    tensor.sliceSpec = toString(*slice);
  const TensorSlice here = slice.value_or(wholeOf(shape));
  tensor.tensor = {dtype, here.extent, here,
                   kTask, nullptr,     rowMajorStrides(here.extent)};
  for (int64_t &stride : tensor.tensor.strides)
    stride *= int64_t(sizeOf(dtype));
  return tensor;
}

/// "a[0;4] b", a shard each.
Names textsOf(const std::vector<Shard> &shards) {
  Names texts;
  for (const Shard &shard : shards) {
    Names parts;
    for (const auto &[key, slices] : shard)
      for (const auto &[spec, part] : slices)
        parts.push_back(key.substr(6) + (spec.empty() ? "" : "[" + spec + "]"));
    std::string text;
    for (const std::string &part : parts)
      text += (text.empty() ? "" : " ") + part;
    texts.push_back(text);
  }
  return texts;
}

Names cut(int64_t most, const std::vector<ShardableTensor> &tensors) {
  const MaxShardSizePolicy policy(most);
  auto shards = policy(tensors);
  EXPECT_TRUE(shards.ok()) << shards.status().message();
  if (!shards.ok())
    return {};
  const Status valid = validateShards(policy, tensors, *shards);
  EXPECT_TRUE(valid.ok()) << valid.message();
  return textsOf(*shards);
}

//===----------------------------------------------------------------------===//
// Maximal size
//===----------------------------------------------------------------------===//

TEST(MaxShardSize, CutsAsTheReferenceDoes) {
  EXPECT_EQ(cut(16, {tensorOf("a", {10})}),
            (Names{"a[0,4]", "a[4,3] a[7,1]", "a[8,2]"}));
  EXPECT_EQ(cut(100, {tensorOf("a", {10, 10})}),
            (Names{"a[0,2:0,10]", "a[2,2:0,10]", "a[4,2:0,10] a[6,4:0,1]",
                   "a[6,2:1,9] a[8,2:1,3]", "a[8,2:4,6]"}));
  EXPECT_EQ(cut(64, {tensorOf("a", {3}), tensorOf("b", {4, 8})}),
            (Names{"a b[0,4:0,3]", "b[0,2:3,5] b[2,1:3,5] b[3,1:3,1]",
                   "b[3,1:4,4]"}));
  EXPECT_EQ(cut(40, {tensorOf("a", {10}), tensorOf("b", {2})}),
            (Names{"a", "b"}));
  EXPECT_EQ(cut(4, {tensorOf("a", {}, DType::F64), tensorOf("b", {})}),
            (Names{"b", "a"}));
  EXPECT_EQ(cut(4000, {tensorOf("a", {3, 1000})}),
            (Names{"a[0,1:0,1000]", "a[1,1:0,1000]", "a[2,1:0,1000]"}));
}

TEST(MaxShardSize, CutsAlongFurtherAxesWhereOneIsNotEnough) {
  EXPECT_EQ(cut(2000, {tensorOf("a", {1000, 1000})}).size(), 2000u);
  EXPECT_EQ(cut(2000, {tensorOf("a", {1000, 1000}), tensorOf("b", {5})}).size(),
            2001u);
  EXPECT_EQ(cut(8, {tensorOf("a", {2, 2, 3})}).size(), 6u);
  const auto refused = MaxShardSizePolicy(4)({tensorOf("a", {2}, DType::F64)});
  EXPECT_EQ(refused.status().message(),
            "an element of 'model/a' has 8 bytes; a shard has at most 4");
  EXPECT_EQ(MaxShardSizePolicy(0)({}).status().message(),
            "a shard has at most 0 bytes; give MaxShardSizePolicy at least 1");
}

TEST(MaxShardSize, EmptyTensorsAndSlicesAreKept) {
  EXPECT_EQ(cut(8, {tensorOf("e", {0, 4}), tensorOf("a", {2})}), Names{"a e"});
  EXPECT_EQ(
      cut(8, {tensorOf("a", {10, 2}, DType::F32, TensorSlice{{4, 0}, {3, 2}})}),
      (Names{"a[4,1:0,2]", "a[5,1:0,2]", "a[6,1:0,2]"}));
}

//===----------------------------------------------------------------------===//
// Other policies
//===----------------------------------------------------------------------===//

TEST(Sharding, PoliciesAreToldApart) {
  EXPECT_EQ(ShardByTaskPolicy().description(),
            "Split tensors into shards based on their device spec task.");
  EXPECT_EQ(MaxShardSizePolicy(7).description(),
            "Split tensors into shards with a max shard size.");
  EXPECT_EQ(MaxShardSizePolicy(7).hash(), MaxShardSizePolicy(7).hash());
  EXPECT_NE(MaxShardSizePolicy(7).hash(), MaxShardSizePolicy(8).hash());
  EXPECT_NE(MaxShardSizePolicy(7).hash(), ShardByTaskPolicy().hash());
}

TEST(Sharding, ATensorHasNineFieldsAndAHash) {
  const ShardableTensor tensor =
      tensorOf("w", {4, 2}, DType::BF16, TensorSlice{{1, 0}, {2, 2}});
  EXPECT_EQ(tensor.toString(),
            "ShardableTensor(tensor_save_spec=w, tensor=bf16[2x2], dtype=bf16, "
            "device=" +
                kTask +
                ", name=w, shape=[4,2], slice_spec=1,2:0,2, "
                "checkpoint_key=model/w, trackable=model)");
  EXPECT_EQ(tensor.hash(), tensor.hash());
  for (auto field : {&ShardableTensor::name, &ShardableTensor::device,
                     &ShardableTensor::checkpointKey}) {
    ShardableTensor other = tensor;
    other.*field += "2";
    EXPECT_NE(other.hash(), tensor.hash());
  }
}

TEST(Sharding, ByPartition) {
  std::vector<ShardableTensor> tensors{tensorOf("a", {2}), tensorOf("b", {2}),
                                       tensorOf("c", {2}), tensorOf("d", {2})};
  tensors[0].device += ":partition:10";
  tensors[1].device += ":partition:9";
  tensors[3].device += ":partition:9";
  const ShardByPartitionPolicy policy;
  const auto shards = policy(tensors);
  ASSERT_TRUE(shards.ok());
  EXPECT_EQ(textsOf(*shards), (Names{"b c d", "a"}));
  EXPECT_TRUE(validateShards(policy, tensors, *shards).ok());
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

class ValidateShardsTest : public testing::Test {
protected:
  ValidateShardsTest()
      : tensors{tensorOf("a", {4}), tensorOf("b", {2, 2})},
        shards(ShardByTaskPolicy()(tensors).take()) {}

  std::string problems() {
    const Status status = validateShards(ShardByTaskPolicy(), tensors, shards);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    return status.message();
  }
  static std::string text(const std::string &what, const std::string &key,
                          const std::string &spec,
                          const std::string &more = "") {
    return "After executing the checkpoint sharding callback, " + what +
           ":\n  callback_description: " + ShardByTaskPolicy().description() +
           "\n  checkpoint_key: " + key + "\n  slice_spec: " + spec + more;
  }
  /// Another shape, dtype or task.
  static std::string altered(const std::string &field, const std::string &key,
                             const std::string &before,
                             const std::string &now) {
    return text("a tensor was found with an altered " + field, key, "",
                "\n  original tensor_" + field + ": " + before +
                    "\n  new tensor_" + field + ": " + now);
  }
  /// Two tasks in a shard.
  static std::string mixed(const std::string &key, const std::string &task,
                           const std::string &otherKey,
                           const std::string &otherTask) {
    return text("tensors with different tasks were found in the same shard",
                otherKey, "",
                tensorText(1, key, task) + tensorText(2, otherKey, otherTask));
  }
  static std::string tensorText(int number, const std::string &key,
                                const std::string &task) {
    return "\n  tensor #" + std::to_string(number) +
           ":\n    checkpoint_key: " + key +
           "\n    slice_spec: \n    task: " + task;
  }
  ShardTensor &partOf(const std::string &key) { return shards[0][key][""]; }
  ShardTensor &a() { return partOf("model/a"); }

  std::vector<ShardableTensor> tensors;
  std::vector<Shard> shards;
};

const std::string kOtherTask = "/job:smp/replica:0/task:1";
const std::string kTwice =
    "multiple tensors with the same checkpoint key and slice spec were found";
const std::string kUnknown = "a tensor not originally in the object graph was "
                             "found in the checkpoint shards";
const std::string kMissing =
    "tensors in the object graph were not found in the checkpoint shards";

TEST_F(ValidateShardsTest, TheSameTwice) {
  shards.push_back({{"model/a", {{"", a()}}}});
  EXPECT_EQ(problems(), text(kTwice, "model/a", ""));
}

TEST_F(ValidateShardsTest, OneThatIsNotKnown) {
  shards[0]["model/c"][""] = a();
  EXPECT_EQ(problems(), text(kUnknown, "model/c", ""));
}

TEST_F(ValidateShardsTest, AnotherShape) {
  a().shape = {5};
  EXPECT_EQ(problems(), altered("shape", "model/a", "[4]", "[5]") + "\n" +
                            text(kMissing, "model/a", ""));
}

TEST_F(ValidateShardsTest, AnotherType) {
  a().dtype = DType::F64;
  EXPECT_EQ(problems(), altered("dtype", "model/a", "f32", "f64"));
}

TEST_F(ValidateShardsTest, AnotherTask) {
  a().task = kOtherTask;
  EXPECT_EQ(problems(), altered("task", "model/a", kTask, kOtherTask) + "\n" +
                            mixed("model/a", kOtherTask, "model/b", kTask));
}

TEST_F(ValidateShardsTest, OneThatIsMissing) {
  shards[0].erase("model/b");
  EXPECT_EQ(problems(), text(kMissing, "model/b", ""));
}

TEST_F(ValidateShardsTest, HolesAndOverlapsOfSlices) {
  auto &slices = shards[0]["model/a"];
  slices.clear();
  for (const TensorSlice &slice :
       {TensorSlice{{0}, {2}}, TensorSlice{{3}, {1}}})
    slices[toString(slice)] = tensors[0].part(slice);
  EXPECT_EQ(problems(),
            text(kMissing, "model/a", "", "\n  element: [2], 0 times"));
  const TensorSlice wide{{1}, {3}};
  slices[toString(wide)] = tensors[0].part(wide);
  EXPECT_EQ(problems(),
            text(kTwice, "model/a", "", "\n  element: [1], 2 times"));
}

/// Each of the seven kinds, in the order of shards and keys; what shards lack
/// comes last.
TEST_F(ValidateShardsTest, AllAtOnce) {
  for (const char *name : {"c", "d", "e"})
    tensors.push_back(tensorOf(name, {4}));
  shards = ShardByTaskPolicy()(tensors).take();
  a().dtype = DType::U8;
  partOf("model/b").shape = {5};
  partOf("model/c").task = kOtherTask;
  shards[0].erase("model/d");
  const ShardTensor e = partOf("model/e");
  shards[0]["model/f"][""] = e;
  shards.push_back({{"model/e", {{"", e}}}});
  const Names all{altered("dtype", "model/a", "f32", "u8"),
                  altered("shape", "model/b", "[2,2]", "[5]"),
                  altered("task", "model/c", kTask, kOtherTask),
                  mixed("model/a", kTask, "model/c", kOtherTask),
                  text(kUnknown, "model/f", ""),
                  text(kTwice, "model/e", ""),
                  text(kMissing, "model/b", ""),
                  text(kMissing, "model/d", "")};
  EXPECT_EQ(problems(), join(all, "\n"));
}

//===----------------------------------------------------------------------===//
// In checkpoints
//===----------------------------------------------------------------------===//

/// All in one, as an application may write it; counts its calls.
class AllInOnePolicy : public ShardingCallback {
public:
  std::string description() const override { return "All in one."; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override {
    ++calls;
    Shard shard;
    for (const ShardableTensor &tensor : tensors)
      shard[tensor.checkpointKey][tensor.sliceSpec] = tensor.tensor;
    return std::vector<Shard>{std::move(shard)};
  }
  mutable std::atomic<int> calls = 0;
};

/// Keeps the bytes that it is shown.
class WatchingPolicy : public AllInOnePolicy {
public:
  std::string description() const override { return "watching"; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override {
    for (const ShardableTensor &tensor : tensors)
      seen[tensor.checkpointKey] = {tensor.tensor.bytes,
                                    tensor.tensor.bytes + tensor.bytes()};
    return AllInOnePolicy::operator()(tensors);
  }
  mutable std::map<std::string, std::vector<std::byte>> seen;
};

/// Cuts what has columns between them: no part is in one run.
class ColumnsPolicy : public WatchingPolicy {
public:
  std::string description() const override { return "columns"; }
  bool readsBytes() const override { return false; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override {
    std::vector<Shard> shards(2);
    for (const ShardableTensor &tensor : tensors)
      if (tensor.shape.size() != 2)
        shards[0][tensor.checkpointKey][""] = tensor.tensor;
      else
        for (int64_t half : {0, 1}) {
          const int64_t columns = tensor.shape[1] / 2;
          const TensorSlice slice{{0, half * columns},
                                  {tensor.shape[0], columns}};
          shards[size_t(half)][tensor.checkpointKey][toString(slice)] =
              tensor.part(slice);
        }
    return shards;
  }
};

class ShardedCheckpointTest : public testing::Test {
protected:
  /// Devices of the `null` driver give values late.
  void saveOn(uint32_t ranks, std::shared_ptr<const ShardingCallback> policy) {
    onThreads(ranks, [&](Communicator &mine) {
      RankTraining training(ranks > 1 ? &mine : nullptr, "null");
      training.train();
      CheckpointManager manager(
          training, {.directory = folder.path(), .sharding = policy});
      save(manager);
    });
  }
  void restoreOn(uint32_t ranks) {
    onThreads(ranks, [&](Communicator &mine) {
      RankTraining training(ranks > 1 ? &mine : nullptr);
      CheckpointManager manager(training, {.directory = folder.path()});
      EXPECT_TRUE(restore(manager));
      if (mine.rank() < 2) // The third has no partition, so no variable.
        expectAfter(training, 1);
    });
  }
  CheckpointManifest manifest() {
    return parseCheckpointManifest(folder.read("ckpt-1.json")).take();
  }

  TemporaryFolder folder;
};

TEST_F(ShardedCheckpointTest, EveryPolicyIsRestoredByEveryNumberOfRanks) {
  const std::shared_ptr<const ShardingCallback> policies[] = {
      std::make_shared<ShardByTaskPolicy>(),
      std::make_shared<ShardByPartitionPolicy>(),
      std::make_shared<MaxShardSizePolicy>(40),
      std::make_shared<MaxShardSizePolicy>(8),
      std::make_shared<AllInOnePolicy>()};
  for (const auto &policy : policies)
    for (uint32_t ranks : {1u, 2u}) {
      SCOPED_TRACE(policy->description());
      saveOn(ranks, policy);
      EXPECT_EQ(manifest().sharding, policy->description());
      for (uint32_t others : {1u, 2u, 3u})
        restoreOn(others);
      for (const std::string &name : folder.names())
        folder.remove(name);
    }
}

TEST_F(ShardedCheckpointTest, APolicyIsCalledOncePerTask) {
  const auto policy = std::make_shared<AllInOnePolicy>();
  saveOn(2, policy);
  EXPECT_EQ(policy->calls, 2);
}

/// Each save begins before all values are read. It has those of its step, and
/// the policy sees them too if it looks.
TEST_F(ShardedCheckpointTest, WhatIsReadLateIsAwaited) {
  const std::shared_ptr<WatchingPolicy> policies[] = {
      std::make_shared<WatchingPolicy>(), std::make_shared<ColumnsPolicy>()};
  for (const auto &policy : policies) {
    SCOPED_TRACE(policy->description());
    RankTraining training(nullptr, "null");
    CheckpointManager manager(training,
                              {.directory = folder.path(),
                               .checkpointName = policy->description(),
                               .sharding = policy});
    for (int steps = 1; steps <= 40; ++steps) {
      training.train();
      auto reader = CheckpointReader::open(save(manager), FileSystem::disk());
      ASSERT_TRUE(reader.ok()) << reader.status().message();
      for (const auto &[name, value] : valuesAfter(steps)) {
        const auto item = std::ranges::find_if(
            reader->manifest().items,
            [&](const auto &each) { return each.key.ends_with("/" + name); });
        ASSERT_NE(item, reader->manifest().items.end()) << name;
        const auto bytes = reader->read(*item);
        ASSERT_TRUE(bytes.ok()) << bytes.status().message();
        EXPECT_TRUE(std::ranges::equal(*bytes, value)) << name << " " << steps;
        if (policy->readsBytes())
          EXPECT_EQ(policy->seen.at(item->key), value) << name << " " << steps;
      }
    }
  }
}

TEST_F(ShardedCheckpointTest, NoFileHasMoreThanAShard) {
  saveOn(2, std::make_shared<MaxShardSizePolicy>(40)); // A tensor has 64.
  std::map<uint32_t, int64_t> bytes;
  for (const CheckpointManifest::Item &item : manifest().items)
    for (const CheckpointManifest::Slice &slice : item.slices)
      bytes[slice.file] +=
          TensorType{item.type.dtype, slice.box.extent}.bytes();
  EXPECT_GT(bytes.size(), 15u);
  for (const auto &[file, size] : bytes)
    EXPECT_LE(size, 40);
}

TEST_F(ShardedCheckpointTest, WhatAPolicyLosesIsNotSaved) {
  class Losing : public AllInOnePolicy {
    StatusOr<std::vector<Shard>>
    operator()(const std::vector<ShardableTensor> &tensors) const override {
      auto shards = AllInOnePolicy::operator()(tensors);
      shards->front().erase("model/w");
      return shards;
    }
  };
  Trained session;
  CheckpointManager manager(session, {.directory = folder.path(),
                                      .sharding = std::make_shared<Losing>()});
  const Status status = manager.save().status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find(kMissing), std::string::npos);
  EXPECT_EQ(manager.latest(), "");
}

} // namespace
