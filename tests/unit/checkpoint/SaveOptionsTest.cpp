// SPDX-License-Identifier: Apache-2.0
// Which saves are made, and of which numbers.
#include "ManagedNumber.h"
#include "RankTraining.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

class SaveOptionsTest : public ManagedNumber {};

//===----------------------------------------------------------------------===//
// The interval
//===----------------------------------------------------------------------===//

class IntervalTest : public ManagedNumber {
protected:
  IntervalTest() {
    options.stepCounter = &step;
    options.checkpointInterval = 10;
  }
  std::string saveAt(CheckpointManager &manager, int64_t at,
                     const SaveOptions &wanted = {}) {
    step = at;
    return saveNext(manager, wanted);
  }
  int64_t step = 0;
};

TEST_F(IntervalTest, ASaveIsDueAfterSoManySteps) {
  CheckpointManager manager = open();
  EXPECT_EQ(saveAt(manager, 0), "ckpt-1"); // The first always is.
  EXPECT_EQ(saveAt(manager, 0), "");
  EXPECT_EQ(saveAt(manager, 9), "");
  EXPECT_EQ(saveAt(manager, 10), "ckpt-2");
  EXPECT_EQ(saveAt(manager, 19), "");
  EXPECT_EQ(saveAt(manager, 35), "ckpt-3");
  EXPECT_EQ(saveAt(manager, 44), "");
  EXPECT_EQ(saveAt(manager, 45), "ckpt-4");
  EXPECT_EQ(manager.counts().notDue, 4u);
  EXPECT_EQ(manager.counts().committed, 4u);
  EXPECT_EQ(manager.latest(), folder.file("ckpt-4"));
}

TEST_F(IntervalTest, WithoutTheCheckOnlyTheSameStepIsNotSavedAgain) {
  CheckpointManager manager = open();
  const SaveOptions anyStep{.checkInterval = false};
  EXPECT_EQ(saveAt(manager, 5, anyStep), "ckpt-1");
  EXPECT_EQ(saveAt(manager, 5, anyStep), "");
  EXPECT_EQ(saveAt(manager, 6, anyStep), "ckpt-2");
  EXPECT_EQ(saveAt(manager, 3, anyStep), "ckpt-3"); // Steps that went back.
  EXPECT_EQ(saveAt(manager, 2), "");
}

TEST_F(IntervalTest, BesideTrainingTheHandleHasAnEmptyPath) {
  CheckpointManager manager = open();
  EXPECT_EQ(saveAt(manager, 1), "ckpt-1");
  std::string told = "none";
  const CheckpointSave left = manager.saveAsync([&](const SaveResult &result) {
    told = result.ok() ? *result : "error";
  });
  EXPECT_TRUE(left.done());
  EXPECT_EQ(told, "");
  step = 11;
  const auto made = manager.saveAsync().wait();
  EXPECT_EQ(made.ok() ? *made : "", folder.file("ckpt-2"));
}

TEST_F(IntervalTest, WhatIsRestoredCounts) {
  {
    CheckpointManager manager = open();
    EXPECT_EQ(saveAt(manager, 20), "ckpt-1");
  }
  CheckpointManager manager = open();
  EXPECT_EQ(restored(manager), 1);
  EXPECT_EQ(saveAt(manager, 20), "");
  EXPECT_EQ(saveAt(manager, 29), "");
  EXPECT_EQ(saveAt(manager, 30), "ckpt-2");
}

TEST_F(IntervalTest, AStepThatCouldNotBeSavedMayBeSavedAgain) {
  options.directory = folder.file("file/below");
  CheckpointManager manager = open();
  folder.write("file", "no folder");
  step = 3;
  EXPECT_FALSE(manager.save().ok());
  folder.remove("file");
  EXPECT_TRUE(manager.save().ok());
  EXPECT_EQ(manager.counts().notDue, 0u);
}

TEST_F(IntervalTest, RanksFollowTheCounterOfRank0) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    int64_t counter = 0;
    CheckpointManager manager(training, {.directory = folder.path(),
                                         .stepCounter = &counter,
                                         .checkpointInterval = 4});
    Names saved;
    for (int i = 0; i < 9; ++i, counter += mine.rank() == 0) {
      const auto path = manager.save();
      ASSERT_TRUE(path.ok()) << path.status().message();
      saved.push_back(path->empty() ? "" : path->substr(path->size() - 6));
    }
    EXPECT_EQ(saved,
              (Names{"ckpt-1", "", "", "", "ckpt-2", "", "", "", "ckpt-3"}));
  });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST_F(SaveOptionsTest, ANumberIsTheCheckpointsName) {
  CheckpointManager manager = open();
  EXPECT_EQ(saveNext(manager, {.number = 0}), "ckpt-0");
  EXPECT_EQ(saveNext(manager, {.number = 40}), "ckpt-40");
  EXPECT_EQ(saveNext(manager), "ckpt-41");
  EXPECT_EQ(saveNext(manager, {.number = 7}), "ckpt-7");
  EXPECT_EQ(manager.latest(), folder.file("ckpt-7"));
  EXPECT_EQ(state().all, (Names{"ckpt-0", "ckpt-40", "ckpt-41", "ckpt-7"}));
  EXPECT_EQ(saveNext(manager), "ckpt-42");
  CheckpointManager next = open();
  EXPECT_EQ(restored(next), 5);
  EXPECT_EQ(next.checkpoints().size(), 5u);
}

TEST_F(SaveOptionsTest, NumbersHaveBounds) {
  CheckpointManager manager = open();
  for (int64_t wrong : {int64_t(-1), INT64_MAX})
    EXPECT_EQ(refusal(manager, {.number = wrong}),
              "the number is " + std::to_string(wrong) +
                  "; give one from 0 to 9223372036854775806");
  EXPECT_EQ(saveNext(manager, {.number = INT64_MAX - 1}),
            "ckpt-9223372036854775806");
  EXPECT_EQ(refusal(manager),
            "'ckpt-9223372036854775806' has the last number: give the next "
            "checkpoints numbers, or a new folder");
}

TEST_F(SaveOptionsTest, ANumberThatIsThereIsReplacedAndIsTheNewest) {
  options.maxToKeep = 3;
  CheckpointManager manager = open();
  for (int i = 0; i < 3; ++i)
    saveNext(manager);
  EXPECT_EQ(saveNext(manager, {.number = 2}), "ckpt-2");
  EXPECT_EQ(state().all, (Names{"ckpt-1", "ckpt-3", "ckpt-2"}));
  EXPECT_EQ(state().latest, "ckpt-2");
  EXPECT_EQ(restored(manager), 4);
  EXPECT_EQ(folder.names(),
            (Names{"checkpoint", "ckpt-1.json", "ckpt-1.state.safetensors",
                   "ckpt-2.again.state.safetensors", "ckpt-2.json",
                   "ckpt-3.json", "ckpt-3.state.safetensors", "ckpt.lock"}));
  number = 4;
  saveNext(manager); // Deletes ckpt-1, which is the oldest.
  saveNext(manager); // Deletes ckpt-3, and not ckpt-2.
  EXPECT_EQ(state().all, (Names{"ckpt-2", "ckpt-4", "ckpt-5"}));
  // Once more: its files have the plain names again.
  EXPECT_EQ(saveNext(manager, {.number = 2}), "ckpt-2");
  EXPECT_EQ(folder.names(),
            (Names{"checkpoint", "ckpt-2.json", "ckpt-2.state.safetensors",
                   "ckpt-4.json", "ckpt-4.state.safetensors", "ckpt-5.json",
                   "ckpt-5.state.safetensors", "ckpt.lock"}));
  saveNext(manager, {.number = 2});
  for (int i = 0; i < 3; ++i)
    saveNext(manager); // With all its files.
  EXPECT_EQ(folder.names().size(), 2u + 3 * 2);
}

TEST_F(SaveOptionsTest, WhatIsNotItsOwnIsNotReplaced) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
    saveNext(manager);
  }
  const std::string start =
                        "'" + folder.file("ckpt-2") + "' is there and stays: ",
                    end =
                        "; restore first, unpin or remove it, or give another "
                        "number";
  auto manager = std::make_unique<CheckpointManager>(open());
  EXPECT_EQ(refusal(*manager, {.number = 2}),
            start + "another manager wrote it, and this one has not restored" +
                end);
  EXPECT_EQ(restored(*manager), 2);
  EXPECT_EQ(saveNext(*manager, {.number = 2}), "ckpt-2");
  manager.reset();
  folder.write("ckpt-7.json", "mine");
  manager = std::make_unique<CheckpointManager>(open());
  EXPECT_TRUE(restore(*manager));
  EXPECT_EQ(refusal(*manager, {.number = 7}),
            "'" + folder.file("ckpt-7") +
                "' is there and stays: the file 'checkpoint' does not list it" +
                end);
  EXPECT_EQ(folder.read("ckpt-7.json"), "mine");
  manager.reset();
  folder.remove("ckpt-7.json");
  folder.write("checkpoint", "model_checkpoint_path: \"ckpt-1\"");
  CheckpointManager unlisted = open();
  EXPECT_TRUE(restore(unlisted));
  EXPECT_EQ(refusal(unlisted, {.number = 1}),
            "'" + folder.file("ckpt-1") +
                "' is there and stays: the file "
                "'checkpoint' does not list it" +
                end);
}

TEST_F(SaveOptionsTest, RanksGiveTheSameNumber) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, {.directory = folder.path()});
    EXPECT_EQ(
        manager.save({.number = 5 + mine.rank()}).status().message(),
        "rank 1 saves number 6, and rank 0 number 5; give save() the same "
        "on all ranks");
    if (mine.rank() == 0)
      EXPECT_FALSE(manager.save({.number = 5}).ok());
    else
      EXPECT_EQ(
          manager.save().status().message(),
          "rank 1 saves the next number, and rank 0 number 5; give save() "
          "the same on all ranks");
    EXPECT_EQ(
        manager.save({.metric = 0.5 + mine.rank()}).status().message(),
        "rank 1 saves the next number with the metric 1.5, and rank 0 the "
        "next number with the metric 0.5; give save() the same on all "
        "ranks");
    for (int i = 0; i < 2; ++i) { // The second one replaces the first.
      training.train();
      const auto saved = manager.save({.number = 5});
      ASSERT_TRUE(saved.ok()) << saved.status().message();
      EXPECT_EQ(manager.checkpoints(), Names{folder.file("ckpt-5")});
    }
    EXPECT_TRUE(restore(manager));
    expectAfter(training, 2);
  });
}

//===----------------------------------------------------------------------===//
// Options that are wrong
//===----------------------------------------------------------------------===//

TEST_F(SaveOptionsTest, WrongOptionsAreNamed) {
  int64_t step = 0;
  auto messageOf = [&](auto change) {
    CheckpointManagerOptions wrong = options;
    change(wrong);
    CheckpointManager manager(Checkpoint{{"number", number}}, wrong);
    EXPECT_EQ(manager.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(manager.save().status().message(), manager.status().message());
    return manager.status().message();
  };
  EXPECT_EQ(messageOf([](auto &wrong) { wrong.checkpointInterval = 5; }),
            "`step_counter` should be passed if `checkpoint_interval` is not "
            "None: checkpointInterval is 5 and stepCounter is null; let it "
            "point to the number of the step");
  EXPECT_EQ(messageOf([&](auto &wrong) {
              wrong.stepCounter = &step;
              wrong.checkpointInterval = 0;
            }),
            "checkpointInterval is 0; give it at least 1 step, or nothing to "
            "make every save");
  EXPECT_EQ(messageOf([](auto &wrong) { wrong.keepBest = KeepBest{0}; }),
            "keepBest.count is 0; give it at least 1, or no keepBest");
  for (double hours : {0.0, -1.5, double(INFINITY), double(NAN)})
    EXPECT_EQ(messageOf([&](auto &wrong) { wrong.keepEveryHours = hours; }),
              "keepEveryHours is " + std::to_string(hours) +
                  "; give it hours above 0, or nothing to keep none for its "
                  "time");
  EXPECT_TRUE(folder.names().empty());
}

} // namespace
