// SPDX-License-Identifier: Apache-2.0
// What a training saves, however it is cut, on however many ranks, in shards of
// whatever size, it goes on from however it is cut.
#include "LayeredTraining.h"
#include "smp/serialization/CheckpointManifest.h"
#include <iostream>
#include <mutex>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 48; // A weight has 192 KiB.
constexpr int64_t kShardBytes = 64 << 10;
constexpr int kStepsBefore = 3, kStepsAfter = 2;

struct Cut {
  uint32_t partitions, ranks;
};

std::vector<Cut> allCuts() {
  std::vector<Cut> cuts;
  for (uint32_t partitions : {1, 2, 3, 4})
    for (uint32_t ranks : {1, 2, 4})
      cuts.push_back({partitions, ranks});
  return cuts;
}

std::string nameOf(const Cut &cut) {
  return std::to_string(cut.partitions) + "-partitions-" +
         std::to_string(cut.ranks) + "-ranks";
}

class LayoutGridTest : public testing::Test {
protected:
  /// Every rank's training.
  void onRanks(const Cut &cut,
               const std::function<void(LayeredTraining &)> &body) {
    onThreads(cut.ranks, [&](Communicator &mine) {
      LayeredTraining training(cut.partitions, kRows,
                               cut.ranks > 1 ? &mine : nullptr);
      body(training);
    });
  }

  static CheckpointManagerOptions optionsOf(const std::string &directory) {
    CheckpointManagerOptions options;
    options.directory = directory;
    return options;
  }

  void trainAndExpect(LayeredTraining &training) {
    const size_t step = size_t(training.steps());
    const auto losses = training.train();
    ASSERT_TRUE(losses.ok()) << losses.status().message();
    EXPECT_EQ(*losses, run.losses[step]) << "step " << step;
  }

  /// Of one rank; those that it has are right.
  void expectValues(LayeredTraining &training, std::set<std::string> &seen) {
    const Values &expected = run.values[size_t(training.steps())];
    for (const auto &[name, bytes] : training.valuesHere()) {
      EXPECT_TRUE(bytes == expected.at(name)) << name;
      const std::lock_guard<std::mutex> hold(access);
      seen.insert(name);
    }
  }

  void saveOn(const Cut &cut, const std::string &directory, bool isSharded) {
    onRanks(cut, [&](LayeredTraining &training) {
      CheckpointManagerOptions options = optionsOf(directory);
      if (isSharded)
        options.sharding = std::make_shared<MaxShardSizePolicy>(kShardBytes);
      CheckpointManager manager(training, options);
      for (int i = 0; i < kStepsBefore; ++i)
        trainAndExpect(training);
      save(manager);
    });
  }

  const LayeredRun run{kStepsBefore + kStepsAfter, kRows};
  std::mutex access;
  TemporaryFolder folder;
};

TEST_F(LayoutGridTest, EveryOneIsRestoredByEveryOther) {
  std::vector<std::string> saved;
  for (const Cut &cut : allCuts())
    for (bool isSharded : {false, true}) {
      saved.push_back(nameOf(cut) + (isSharded ? "-sharded" : ""));
      saveOn(cut, folder.file(saved.back()), isSharded);
      const auto manifest =
          parseCheckpointManifest(folder.read(saved.back() + "/ckpt-1.json"));
      ASSERT_TRUE(manifest.ok()) << manifest.status().message();
      EXPECT_EQ(manifest->files.size() > 2 * cut.ranks, isSharded);
    }
  int restored = 0;
  for (const Cut &cut : allCuts()) {
    // By checkpoint, what the ranks have together.
    std::vector<std::set<std::string>> before(saved.size()), after = before;
    onRanks(cut, [&](LayeredTraining &training) {
      for (size_t i = 0; i < saved.size(); ++i) {
        SCOPED_TRACE(saved[i] + " restored by " + nameOf(cut));
        CheckpointManager manager(training, optionsOf(folder.file(saved[i])));
        ASSERT_TRUE(restore(manager));
        ASSERT_EQ(training.steps(), kStepsBefore);
        expectValues(training, before[i]);
        for (int step = 0; step < kStepsAfter; ++step)
          trainAndExpect(training);
        expectValues(training, after[i]);
      }
    });
    for (size_t i = 0; i < saved.size(); ++i, ++restored) {
      EXPECT_EQ(before[i].size(), run.values[0].size());
      EXPECT_EQ(after[i].size(), run.values[0].size());
    }
    if (HasFailure())
      return;
  }
  std::cout << restored << " combinations\n";
}

} // namespace
