// SPDX-License-Identifier: Apache-2.0
// Restoring the checkpoint of a name, and beginning where there is none.
#include "ManagedNumber.h"
#include "RankTraining.h"

using namespace smp;
using namespace smp::test;

namespace {

class NamedRestoreTest : public ManagedNumber {
protected:
  std::string refusal(CheckpointManager &manager,
                      const RestoreOptions &wanted) {
    number = -1;
    const Status status = manager.restore(wanted).status();
    EXPECT_EQ(number, -1);
    return status.message();
  }
  int64_t restoredAs(CheckpointManager &manager, const std::string &name) {
    const auto report = manager.restore({.name = name});
    EXPECT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(!report.ok() || report->path.ends_with(name));
    return number;
  }
};

TEST_F(NamedRestoreTest, ByNameAndByPath) {
  options.maxToKeep = 4;
  CheckpointManager manager = open();
  for (int i = 0; i < 4; ++i)
    saveNext(manager);
  EXPECT_EQ(restoredAs(manager, "ckpt-2"), 2);
  EXPECT_EQ(restoredAs(manager, folder.file("ckpt-3")), 3);
  EXPECT_EQ(manager.latest(), folder.file("ckpt-4")); // As it was.
  number = 6;
  EXPECT_EQ(saveNext(manager), "ckpt-5"); // No number twice.
  options.checkpointName = "other";
  CheckpointManager other = open();
  EXPECT_EQ(restoredAs(other, "ckpt-5"), 7);
}

TEST_F(NamedRestoreTest, WhatIsNotThereIsNamedWithWhatIs) {
  CheckpointManager manager = open();
  saveNext(manager);
  saveNext(manager);
  EXPECT_EQ(refusal(manager, {.name = "ckpt-7"}),
            "there is no complete checkpoint '" + folder.file("ckpt-7") +
                "': cannot read '" + folder.file("ckpt-7.json") +
                "': No such file or directory; others that are complete: "
                "'ckpt-2', 'ckpt-1'");
  for (const char *outside : {"../ckpt-1", "/ckpt-1", "a/ckpt-1"})
    EXPECT_EQ(refusal(manager, {.name = outside}),
              "'" + std::string(outside) + "' is no checkpoint of '" +
                  folder.path() +
                  "'; give its name, as 'ckpt-1', or its path, "
                  "as '" +
                  folder.file("ckpt-1") + "'");
  EXPECT_EQ(refusal(manager, {.fallBack = true, .name = "ckpt-1"}),
            "the options have a name, 'ckpt-1', and fallBack, which is for the "
            "latest; leave out one of them");
}

TEST_F(NamedRestoreTest, DamageOfItIsAnError) {
  CheckpointManager manager = open();
  saveNext(manager);
  saveNext(manager);
  std::string text = folder.read("ckpt-1.state.safetensors");
  text.back() ^= 1;
  folder.write("ckpt-1.state.safetensors", text);
  EXPECT_TRUE(refusal(manager, {.name = "ckpt-1"})
                  .ends_with("; others that are complete: 'ckpt-2'"));
  EXPECT_EQ(restored(manager), 2);
}

TEST_F(NamedRestoreTest, RanksRestoreTheSame) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, {.directory = folder.path()});
    for (int i = 0; i < 3; ++i) {
      training.train();
      save(manager);
    }
    EXPECT_TRUE(manager.restore({.name = "ckpt-2"}).ok());
    expectAfter(training, 2);
    const Status status =
        manager.restore({.name = mine.rank() ? "ckpt-1" : "ckpt-3"}).status();
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
    EXPECT_TRUE(status.message().starts_with(
        "rank 1 finds another checkpoint ('ckpt-1', "))
        << status.message();
    expectAfter(training, 2);
  });
}

//===----------------------------------------------------------------------===//
// Beginning
//===----------------------------------------------------------------------===//

TEST_F(NamedRestoreTest, WithoutACheckpointTheFunctionIsCalled) {
  CheckpointManager manager = open();
  int calls = 0;
  const auto begin = [&] {
    ++calls;
    number = 40;
    return Status();
  };
  const auto first = manager.restoreOrInitialize(begin);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(*first, "");
  EXPECT_EQ(calls, 1);
  saveNext(manager);
  number = 0;
  const auto second = manager.restoreOrInitialize(begin);
  EXPECT_EQ(second.ok() ? *second : "", folder.file("ckpt-1"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(number, 41);
}

TEST_F(NamedRestoreTest, TheErrorOfTheFunctionIsTheError) {
  CheckpointManager manager = open();
  const auto failed = manager.restoreOrInitialize(
      [] { return failedPrecondition("no weights to begin with"); });
  EXPECT_EQ(failed.status().message(), "no weights to begin with");
  const auto nothing = manager.restoreOrInitialize();
  EXPECT_TRUE(nothing.ok() && nothing->empty());
  folder.write("checkpoint", "model_checkpoint_path: \"ckpt-5\"");
  CheckpointManager lost = open();
  bool isCalled = false;
  EXPECT_FALSE(lost.restoreOrInitialize([&] {
                     isCalled = true;
                     return Status();
                   })
                   .ok());
  EXPECT_FALSE(isCalled); // What is lost does not begin anew unseen.
}

TEST_F(NamedRestoreTest, AnErrorOnOneRankIsThatOfAll) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, {.directory = folder.path()});
    const auto begun = manager.restoreOrInitialize(
        [&] { return mine.rank() ? dataLoss("the file is empty") : Status(); });
    EXPECT_EQ(begun.status().message(),
              mine.rank() ? "the file is empty" : "rank 1: the file is empty");
    training.train();
    save(manager);
  });
}

} // namespace
