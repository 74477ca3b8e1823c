// SPDX-License-Identifier: Apache-2.0
// Which checkpoints stay in the folder of a manager.
#include "CheckpointFolder.h"
#include "ManagedNumber.h"
#include "MemoryDisk.h"
#include "smp/serialization/CheckpointManifest.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

class KeepTest : public ManagedNumber {
protected:
  KeepTest() { options.maxToKeep = 1; }
};

//===----------------------------------------------------------------------===//
// Hours
//===----------------------------------------------------------------------===//

TEST_F(KeepTest, OneStaysForEverySoManyHours) {
  options.keepEveryHours = 2;
  saveAtHours({1, 2, 3, 4.5});
  CheckpointManager manager = open();
  EXPECT_EQ(restored(manager), 4);
  EXPECT_EQ(saveNext(manager), "ckpt-5");
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4", "ckpt-5"}));
  EXPECT_EQ(state().all, Names{"ckpt-5"}); // They are no more its matter.
  EXPECT_EQ(state().lastPreserved, kDay + 4.5 * 3600);
  saveNext(manager); // ckpt-5 is years later.
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4", "ckpt-5", "ckpt-7"}));
  EXPECT_EQ(log, Names());
}

TEST_F(KeepTest, AManagerOfAnotherDayGoesOnWithTheHours) {
  options.keepEveryHours = 1;
  saveAtHours({1, 1.5});
  {
    CheckpointManager manager = open();
    EXPECT_TRUE(restore(manager));
    saveNext(manager);
  }
  const double preserved = state().lastPreserved;
  EXPECT_EQ(preserved, kDay + 3600);
  CheckpointManager manager = open();
  EXPECT_TRUE(restore(manager));
  saveNext(manager); // ckpt-3 is kept: the first one for years.
  EXPECT_GT(state().lastPreserved, preserved + 1e6);
  saveNext(manager); // ckpt-4 is not.
  EXPECT_EQ(manifests(), (Names{"ckpt-1", "ckpt-3", "ckpt-5"}));
}

TEST_F(KeepTest, AClockThatGoesBackIsSaid) {
  options.keepEveryHours = 1;
  saveAtHours({0.5});
  CheckpointManager manager = open();
  EXPECT_TRUE(restore(manager));
  saveNext(manager);
  CheckpointState edited = state();
  EXPECT_EQ(edited.all, Names{"ckpt-2"});
  edited.lastPreserved = edited.timestamps[0] + 1e6;
  folder.write("checkpoint", formatCheckpointState(edited));
  CheckpointManager next = open();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "the clock is behind that of the checkpoints in '" +
                        folder.path() +
                        "': those that are there now will not be deleted");
  EXPECT_LT(state().timestamps[0], edited.lastPreserved);
}

/// While a manager runs: as another rank it is told of times to come.
TEST_F(KeepTest, WhenTheClockGoesBackHoursAreCountedAnew) {
  MemoryDisk disk("/");
  CheckpointFolder checkpoints(disk, "/a", "ckpt");
  ASSERT_TRUE(checkpoints.open(options.log).ok());
  const auto room = checkpoints.makeRoom(std::nullopt, options.log);
  ASSERT_TRUE(room.ok()) << room.status().message();
  disk.put("/a/ckpt-1.json", formatCheckpointManifest({}));
  const double later = double(time(nullptr)) + 1e6;
  const CheckpointState told{"ckpt-0", {"ckpt-0"}, {later + 7}, later};
  ASSERT_TRUE(checkpoints.follow(formatCheckpointState(told), {}).ok());
  EXPECT_EQ(checkpoints.add(*room, {}, options.log).message(), "");
  EXPECT_EQ(log, Names{"the clock is behind that of the checkpoints in '/a': "
                       "hours are counted from now on"});
  const CheckpointState after =
      parseCheckpointState(checkpoints.listed()).take();
  EXPECT_EQ(after.all, (Names{"ckpt-0", "ckpt-1"}));
  for (double when :
       {after.timestamps[0], after.timestamps[1], after.lastPreserved})
    EXPECT_LT(when, later);
}

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

TEST_F(KeepTest, APinnedOneStaysWhoeverSweeps) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
    EXPECT_EQ(manager.pin("ckpt-1").message(), "");
    EXPECT_EQ(manager.pin("ckpt-1").message(), ""); // Once more is nothing.
    saveNext(manager);
    EXPECT_EQ(saveNext(manager), "ckpt-3");
    EXPECT_EQ(manifests(), (Names{"ckpt-1", "ckpt-3"}));
    EXPECT_EQ(
        refusal(manager, {.number = 1}),
        "'" + folder.file("ckpt-1") +
            "' is there and stays: it is pinned"
            "; restore first, unpin or remove it, or give another number");
  }
  TemporaryFolder other;
  std::filesystem::copy(folder.path(), other.file("copied"));
  options.directory = other.file("copied");
  {
    CheckpointManager copied = open();
    EXPECT_TRUE(restore(copied));
    EXPECT_TRUE(copied.save().ok());
    EXPECT_EQ(copied.checkpoints(), (Names{other.file("copied/ckpt-1"),
                                           other.file("copied/ckpt-4")}));
  }
  options.directory = folder.path();
  CheckpointManager manager = open();
  EXPECT_EQ(restored(manager), 3);
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-1", "ckpt-4"}));
  EXPECT_EQ(manager.unpin(folder.file("ckpt-1")).message(), "");
  EXPECT_EQ(manager.unpin("ckpt-1").message(), "");
  saveNext(manager);
  EXPECT_EQ(folder.names(), (Names{"checkpoint", "ckpt-5.json",
                                   "ckpt-5.state.safetensors", "ckpt.lock"}));
}

TEST_F(KeepTest, PinnedOnesAreNoneOfTheNewestUnlessTheyAreThat) {
  options.maxToKeep = 2;
  CheckpointManager manager = open();
  for (int i = 0; i < 3; ++i)
    saveNext(manager);
  EXPECT_TRUE(manager.pin("ckpt-3").ok());
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-3", "ckpt-4"}));
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-3", "ckpt-4", "ckpt-5"}));
}

TEST_F(KeepTest, OnlyWhatIsCompleteIsPinned) {
  CheckpointManager manager = open();
  saveNext(manager);
  EXPECT_TRUE(manager.pin("ckpt-2").message().starts_with(
      "there is no complete checkpoint '" + folder.file("ckpt-2") + "'"));
  EXPECT_FALSE(manager.pin("../ckpt-1").ok());
  EXPECT_FALSE(manager.unpin("../ckpt-1").ok());
  folder.remove("ckpt-1.state.safetensors");
  EXPECT_FALSE(manager.pin("ckpt-1").ok());
  EXPECT_EQ(folder.names(), (Names{"checkpoint", "ckpt-1.json", "ckpt.lock"}));
}

TEST_F(KeepTest, AManagerOfAnotherNamePinsToo) {
  CheckpointManager manager = open();
  saveNext(manager);
  options.checkpointName = "watching";
  EXPECT_TRUE(open().pin("ckpt-1").ok());
  saveNext(manager);
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-1", "ckpt-3"}));
}

//===----------------------------------------------------------------------===//
// The best
//===----------------------------------------------------------------------===//

class BestTest : public KeepTest {
protected:
  BestTest() { options.keepBest = KeepBest{2}; }
  void saveRated(CheckpointManager &manager,
                 const std::vector<double> &metrics) {
    for (double metric : metrics)
      saveNext(manager, {.metric = metric});
  }
};

TEST_F(BestTest, TheBestStayBesideTheNewest) {
  CheckpointManager manager = open();
  saveRated(manager, {5, 3, 4, 3.5, 6});
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4", "ckpt-5"}));
  EXPECT_EQ(state().all, (Names{"ckpt-2", "ckpt-4", "ckpt-5"}));
  saveRated(manager, {1});
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-6"}));
  saveNext(manager); // Without a metric.
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-6", "ckpt-7"}));
}

TEST_F(BestTest, LargerOnesWhereTheOptionsSaySo) {
  options.keepBest = KeepBest{1, KeepBest::Better::Larger};
  CheckpointManager manager = open();
  saveRated(manager, {-5, 3, 2, 1});
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4"}));
}

TEST_F(BestTest, WhatIsNotFiniteIsNeverTheBest) {
  CheckpointManager manager = open();
  saveRated(manager, {NAN, -INFINITY, 7, INFINITY, NAN});
  EXPECT_EQ(manifests(), (Names{"ckpt-3", "ckpt-5"}));
  EXPECT_EQ(folder.read("ckpt-5.json").find("metric"), std::string::npos);
  EXPECT_NE(folder.read("ckpt-3.json").find("\n  \"metric\": 7,\n"),
            std::string::npos);
}

TEST_F(BestTest, MetricsOutliveTheManager) {
  options.keepEveryHours = 1; // The best may be older than what stays for that.
  {
    CheckpointManager manager = open();
    saveRated(manager, {0.5, 0.25, 0.75});
  }
  CheckpointState edited = state();
  EXPECT_EQ(edited.all, (Names{"ckpt-1", "ckpt-2", "ckpt-3"}));
  edited.lastPreserved = edited.timestamps[1];
  folder.write("checkpoint", formatCheckpointState(edited));
  CheckpointManager manager = open();
  EXPECT_EQ(restored(manager), 3);
  saveRated(manager, {0.125});
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4"}));
  saveRated(manager, {0.375});
  EXPECT_EQ(manifests(), (Names{"ckpt-2", "ckpt-4", "ckpt-5"}));
  saveNext(manager, {.number = 2, .metric = 9}); // Another one by that name.
  saveNext(manager);
  EXPECT_EQ(manifests(), (Names{"ckpt-4", "ckpt-5", "ckpt-6"}));
}

} // namespace
