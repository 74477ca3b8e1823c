// SPDX-License-Identifier: Apache-2.0
// Several ranks save together, and what one saves all restore.
#include "RankTraining.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

class RankCheckpointTest : public testing::Test {
protected:
  CheckpointManagerOptions here() {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    return options;
  }
  /// One rank trains three steps, saves, and trains on.
  void trainAndSave(Communicator *communicator) {
    RankTraining training(communicator);
    CheckpointManager manager(training, here());
    for (int i = 0; i < 3; ++i)
      training.train();
    EXPECT_EQ(save(manager), folder.file("ckpt-1"));
    EXPECT_EQ(manager.latest(), folder.file("ckpt-1"));
    training.train();
    expectAfter(training, 4);
  }
  /// One rank restores, has the values after three steps, and goes on.
  void restoreAndTrain(Communicator *communicator) {
    RankTraining training(communicator);
    CheckpointManager manager(training, here());
    EXPECT_TRUE(restore(manager));
    expectAfter(training, 3);
    EXPECT_EQ(training->steps(), (StepCounts{3, 0, 0, 0}));
    training.train();
    expectAfter(training, 4);
    EXPECT_EQ(training.warnings, Names());
  }
  void onTwoProcesses(const RankBody &body) {
    onProcesses("unix:" + folder.file("socket"), body);
    folder.remove("socket");
  }

  TemporaryFolder folder;
};

const Names kFilesOfTwo{"checkpoint",
                        "ckpt-1.json",
                        "ckpt-1.model-00001-of-00002.safetensors",
                        "ckpt-1.model-00002-of-00002.safetensors",
                        "ckpt-1.model.safetensors.index.json",
                        "ckpt-1.state-00001-of-00002.safetensors",
                        "ckpt-1.state-00002-of-00002.safetensors"};

TEST_F(RankCheckpointTest, TwoProcessesSaveAndOneRestores) {
  onTwoProcesses([&](Communicator &mine) { trainAndSave(&mine); });
  EXPECT_EQ(folder.names(), kFilesOfTwo);
  restoreAndTrain(nullptr);
}

TEST_F(RankCheckpointTest, OneSavesAndTwoProcessesRestore) {
  trainAndSave(nullptr);
  onTwoProcesses([&](Communicator &mine) { restoreAndTrain(&mine); });
}

TEST_F(RankCheckpointTest, ThreeRanksOfWhichOneHoldsNothing) {
  onThreads(3, [&](Communicator &mine) { trainAndSave(&mine); });
  EXPECT_EQ(folder.names(), kFilesOfTwo);
  onThreads(2, [&](Communicator &mine) { restoreAndTrain(&mine); });
}

TEST_F(RankCheckpointTest, ShardsArePlainFilesWithAnIndex) {
  onThreads(2, [&](Communicator &mine) { trainAndSave(&mine); });
  auto first =
      Safetensors::open(folder.file("ckpt-1.model-00001-of-00002.safetensors"));
  auto second =
      Safetensors::open(folder.file("ckpt-1.model-00002-of-00002.safetensors"));
  ASSERT_TRUE(first.ok() && second.ok());
  Names names[2];
  for (const SafetensorsTensor &tensor : first->tensors())
    names[0].push_back(tensor.name);
  for (const SafetensorsTensor &tensor : second->tensors())
    names[1].push_back(tensor.name);
  EXPECT_EQ(names[0], (Names{"fixed0", "fixed2", "unused", "w0", "w2"}));
  EXPECT_EQ(names[1], (Names{"fixed1", "w1"}));
  EXPECT_EQ(folder.read("ckpt-1.model.safetensors.index.json"), R"({
  "metadata": {
    "total_size": 448,
    "smp.checkpoint": "ckpt-1"
  },
  "weight_map": {
    "fixed0": "ckpt-1.model-00001-of-00002.safetensors",
    "fixed1": "ckpt-1.model-00002-of-00002.safetensors",
    "fixed2": "ckpt-1.model-00001-of-00002.safetensors",
    "unused": "ckpt-1.model-00001-of-00002.safetensors",
    "w0": "ckpt-1.model-00001-of-00002.safetensors",
    "w1": "ckpt-1.model-00002-of-00002.safetensors",
    "w2": "ckpt-1.model-00001-of-00002.safetensors"
  }
}
)");
}

TEST_F(RankCheckpointTest, OldOnesAreDeletedWithAllTheirShards) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManagerOptions options = here();
    options.maxToKeep = 2;
    CheckpointManager manager(training, options);
    for (int i = 1; i <= 4; ++i) {
      training.train();
      EXPECT_EQ(save(manager), folder.file("ckpt-" + std::to_string(i)));
    }
    EXPECT_EQ(manager.checkpoints(),
              (Names{folder.file("ckpt-3"), folder.file("ckpt-4")}));
    training.train();
    EXPECT_TRUE(restore(manager));
    expectAfter(training, 4);
  });
  EXPECT_EQ(folder.names().size(), 1u + 2u * (kFilesOfTwo.size() - 1));
  RankTraining alone(nullptr);
  CheckpointManager manager(alone, here());
  EXPECT_TRUE(restore(manager));
  expectAfter(alone, 4);
}

//===----------------------------------------------------------------------===//
// Values of the application
//===----------------------------------------------------------------------===//

TEST_F(RankCheckpointTest, ValuesAreTheSameOrHaveNamesOfTheirOwn) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    const std::string own = "seed" + std::to_string(mine.rank());
    int64_t epoch = 5, seed = 100 + mine.rank();
    CheckpointManager manager(Checkpoint{{"model", training},
                                         {"optimizer", training},
                                         {"epoch", epoch},
                                         {own, seed}},
                              here());
    save(manager);
    epoch = seed = 0;
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(epoch, 5);
    EXPECT_EQ(seed, 100 + mine.rank());
    epoch = mine.rank();
    const auto saved = manager.save();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().message(),
              "value 'epoch' is another one on rank 1 than on rank 0; give "
              "values that differ by rank names that do");
    EXPECT_EQ(manager.latest(), folder.file("ckpt-1"));
  });
}

//===----------------------------------------------------------------------===//
// Ranks that fail
//===----------------------------------------------------------------------===//

TEST_F(RankCheckpointTest, AWriteThatFailsOnOneRankFailsOnAll) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    training.train();
    CheckpointManager manager(training, here());
    save(manager);
    // Folders that do not get ready between two saves.
    CheckpointManagerOptions elsewhere = here();
    elsewhere.checkpointName = "other";
    if (mine.rank() == 1)
      elsewhere.directory = folder.file("none");
    CheckpointManager failing(training, elsewhere);
    training.train();
    const auto saved = failing.save();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().code(), StatusCode::Unavailable);
    const std::string expected =
        std::string(mine.rank() == 0 ? "rank 1: " : "") + "cannot write '" +
        folder.file("none/");
    EXPECT_TRUE(saved.status().message().starts_with(expected))
        << saved.status().message();
    EXPECT_TRUE(restore(manager));
    expectAfter(training, 1);
    training.train();
    EXPECT_EQ(save(manager), folder.file("ckpt-2"));
  });
  RankTraining alone(nullptr);
  CheckpointManager manager(alone, here());
  EXPECT_TRUE(restore(manager));
  expectAfter(alone, 2);
  EXPECT_EQ(folder.names().size(), 1u + 2u * (kFilesOfTwo.size() - 1));
}

TEST_F(RankCheckpointTest, AFolderThatIsNotSharedIsNoticed) {
  TemporaryFolder other;
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    const std::string path = mine.rank() ? other.path() : folder.path();
    CheckpointManager manager(training, {.directory = path});
    const auto saved = manager.save();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(
        saved.status().message(),
        std::string(mine.rank() ? "checkpoint 'ckpt-1': rank 0: " : "") +
            "rank 1 wrote 'ckpt-1.model-00002-of-00002.safetensors', of 320 "
            "bytes, which rank 0 does not see as '" +
            folder.file("ckpt-1.model-00002-of-00002.safetensors") +
            "'; give all ranks the same folder");
  });
  EXPECT_EQ(folder.names(), Names());

  trainAndSave(nullptr);
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    const std::string path = mine.rank() ? other.path() : folder.path();
    CheckpointManager manager(training, {.directory = path});
    const auto restored = manager.restore();
    ASSERT_FALSE(restored.ok());
    EXPECT_TRUE(restored.status().message().starts_with(
        "rank 1 finds another checkpoint (none) than rank 0 ('ckpt-1', "))
        << restored.status().message();
    expectAfter(training, 0);
  });
}

TEST_F(RankCheckpointTest, ARankThatCannotRestoreStopsAll) {
  trainAndSave(nullptr);
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    int64_t epoch = 0;
    Checkpoint checkpoint(training);
    if (mine.rank() == 1)
      checkpoint = Checkpoint{{"model", training}, {"epoch", epoch}};
    CheckpointManager manager(checkpoint, here());
    const auto restored = manager.restore();
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.status().message(),
              (mine.rank() == 0 ? "rank 1: checkpoint '" : "checkpoint '") +
                  folder.file("ckpt-1") +
                  "' does not fit the program: it lacks 'epoch'; restore into "
                  "what was saved, or with expectPartial what both have");
    expectAfter(training, 0);
    const auto saved = manager.save();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().message(),
              "rank 1 saves of its Session model, and rank 0 model, optimizer, "
              "random, state; give every rank the same Checkpoint");
    training.train(); // The ranks still are in step.
    expectAfter(training, 1);
  });
}

/// The byte that is damaged is in no piece that rank 0 reads.
TEST_F(RankCheckpointTest, ARankReadsWhatItsPartitionsNeed) {
  onThreads(2, [&](Communicator &mine) { trainAndSave(&mine); });
  const std::string file = "ckpt-1.model-00002-of-00002.safetensors";
  const std::string whole = folder.read(file);
  std::string damaged = whole;
  damaged.back() ^= 1;
  folder.write(file, damaged);
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, here());
    const auto restored = manager.restore();
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.status().code(), StatusCode::DataLoss);
    EXPECT_EQ(restored.status().message().starts_with("rank 1: "),
              mine.rank() == 0)
        << restored.status().message();
    expectAfter(training, 0);
  });
  folder.write(file, whole);
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, here());
    std::vector<std::byte> bytes(64);
    EXPECT_TRUE(training->getVariable("fixed1", bytes).ok());
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(training->getVariable("fixed1", bytes).ok(), mine.rank() == 1);
    EXPECT_EQ(training->getVariable("fixed0", bytes).ok(), mine.rank() == 0);
    EXPECT_EQ(training->getVariable("unused", bytes).ok(), mine.rank() == 0);
    training.train();
    save(manager);
    expectAfter(training, 4);
  });
  RankTraining alone(nullptr);
  CheckpointManager manager(alone, here());
  EXPECT_TRUE(restore(manager));
  expectAfter(alone, 4);
}

TEST_F(RankCheckpointTest, OptionsThatOneRankRefusesStopAll) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManagerOptions options = here();
    options.maxToKeep = int64_t(mine.rank());
    CheckpointManager manager(training, options);
    const auto saved = manager.save();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().message(),
              std::string(mine.rank() ? "rank 0: " : "") +
                  "Expected a positive integer or `None` for `max_to_keep`, "
                  "got 0.");
  });
  EXPECT_EQ(folder.names(), Names());
}

} // namespace
