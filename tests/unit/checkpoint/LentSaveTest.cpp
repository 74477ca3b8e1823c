// SPDX-License-Identifier: Apache-2.0
// Saves that are written from variables, of a disk that is slower than steps.
#include "CountingFiles.h"
#include "LayeredTraining.h"
#include "MemoryDisk.h"
#include "smp/base/Pieces.h"
#include <atomic>
#include <future>
#include <semaphore>

using namespace smp;
using namespace smp::test;

namespace {

/// A disk that stands still at a write of a piece, until it is let go.
class StandingFiles : public CountingFiles {
public:
  StandingFiles() : CountingFiles(FileSystem::uncachedDisk()) {}

  /// From now on.
  void stop() {
    hasReached = false;
    isStopped = true;
  }
  /// Until a write has come to a stop.
  void awaitStop() { reached.acquire(); }
  void letGo() {
    isStopped = false;
    isStopped.notify_all();
  }
  /// Of large parts.
  int writes() const { return count; }

  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    const int error = CountingFiles::make(path, old, file);
    if (!error)
      file = std::make_unique<File>(*this, std::move(file));
    return error;
  }

private:
  class File : public WritableFile {
  public:
    File(StandingFiles &files, std::unique_ptr<WritableFile> inner)
        : files(files), inner(std::move(inner)) {}
    void reserve(uint64_t bytes) override { inner->reserve(bytes); }
    int write(uint64_t offset, std::span<const std::byte> bytes) override {
      if (bytes.size() >= kLeastDirect)
        files.pass();
      return inner->write(offset, bytes);
    }
    int sync() override { return inner->sync(); }

  private:
    StandingFiles &files;
    const std::unique_ptr<WritableFile> inner;
  };

  void pass() {
    ++count;
    if (isStopped && !hasReached.exchange(true))
      reached.release();
    isStopped.wait(true);
  }

  std::atomic<bool> isStopped{false}, hasReached{false};
  std::binary_semaphore reached{0};
  std::atomic<int> count{0};
};

class LentSaveTest : public testing::Test {
protected:
  CheckpointManager
  open(std::shared_ptr<const ShardingCallback> sharding = nullptr) {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    options.sharding = std::move(sharding);
    return CheckpointsOver::open(files, Checkpoint(training), options);
  }
  void train() { ASSERT_TRUE(training.train().ok()); }

  TemporaryFolder folder;
  StandingFiles files;
  LayeredTraining training{1, 600}; // Variables of 2.4 MB.
};

/// It is written anew from the copies that were made before the update.
TEST_F(LentSaveTest, AStepDoesNotWaitForTheDisk) {
  CheckpointManager manager = open();
  for (int i = 0; i < 2; ++i) { // In time: the next ones are lent.
    train();
    ASSERT_TRUE(manager.saveAsync().wait().ok());
  }
  const int before = files.writes();
  train();
  ASSERT_TRUE(manager.saveAsync().wait().ok());
  const int once = files.writes() - before;
  for (int i = 0; i < 2; ++i) {
    const Values saved = training.values();
    const int seen = files.writes();
    files.stop();
    const CheckpointSave save = manager.saveAsync();
    files.awaitStop();
    train();
    EXPECT_FALSE(save.done());
    EXPECT_NE(training.values(), saved);
    files.letGo();
    const SaveResult path = save.wait();
    ASSERT_TRUE(path.ok()) << path.status().message();
    EXPECT_GT(files.writes() - seen, once) << i;
    ASSERT_TRUE(restore(manager));
    EXPECT_EQ(training.values(), saved);
    for (int j = 0; j < 17; ++j) { // Little by little all is lent again.
      train();
      ASSERT_TRUE(manager.saveAsync().wait().ok());
    }
  }
}

/// Cuts matrices into two halves of columns, which are no run of memory, when a
/// step has been made since the save was asked for.
class LatePolicy : public ShardingCallback {
public:
  explicit LatePolicy(bool reads) : reads(reads) {}
  std::string description() const override { return "Halves of columns."; }
  bool readsBytes() const override { return reads; }

  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override {
    if (isLate) {
      reached.release();
      stepped.acquire();
    }
    Shard shard;
    for (const ShardableTensor &tensor : tensors) {
      auto &parts = shard[tensor.checkpointKey];
      if (reads)
        sums[tensor.name] = sumOf(tensor);
      if (tensor.shape.size() != 2) {
        parts[""] = tensor.tensor;
        continue;
      }
      const int64_t rows = tensor.shape[0], half = tensor.shape[1] / 2;
      for (const TensorSlice &slice :
           {TensorSlice{{0, 0}, {rows, half}},
            TensorSlice{{0, half}, {rows, tensor.shape[1] - half}}})
        parts[toString(slice)] = tensor.part(slice);
    }
    return std::vector{std::move(shard)};
  }

  static uint64_t sumOf(const ShardableTensor &tensor) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < tensor.bytes(); ++i)
      sum = sum * 31 + uint64_t(tensor.tensor.bytes[i]);
    return sum;
  }

  mutable std::binary_semaphore reached{0}, stepped{0};
  mutable std::map<std::string, uint64_t> sums; // Of what it read last.
  std::atomic<bool> isLate{false};

private:
  const bool reads;
};

class LatePolicyTest : public LentSaveTest,
                       public testing::WithParamInterface<bool> {};

/// What it reads, and what is saved, is of before the step.
TEST_P(LatePolicyTest, WhatIsDividedAfterTheUpdateIsOfBefore) {
  const auto policy = std::make_shared<LatePolicy>(GetParam());
  CheckpointManager manager = open(policy);
  for (int i = 0; i < 3; ++i) {
    train();
    ASSERT_TRUE(manager.saveAsync().wait().ok());
  }
  save(manager); // Of the same values.
  const auto sums = policy->sums;
  EXPECT_EQ(sums.empty(), !GetParam());
  const Values saved = training.values();
  policy->isLate = true;
  // One that is awaited lends all that a policy does not read itself.
  auto late = std::async(std::launch::async, [&] { return manager.save(); });
  policy->reached.acquire();
  train();
  EXPECT_NE(training.values(), saved);
  policy->stepped.release();
  const SaveResult path = late.get();
  ASSERT_TRUE(path.ok()) << path.status().message();
  auto read = policy->sums;
  read.erase("save_counter");
  for (const auto &[name, sum] : read)
    EXPECT_EQ(sum, sums.at(name)) << name;
  ASSERT_TRUE(restore(manager));
  EXPECT_EQ(training.values(), saved);
}

INSTANTIATE_TEST_SUITE_P(ReadsBytes, LatePolicyTest, testing::Bool());

} // namespace
