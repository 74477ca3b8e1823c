// SPDX-License-Identifier: Apache-2.0
// Another process pins a checkpoint while it is being deleted: the pin is set
// and the checkpoint stays, or there is neither.
#include "CheckpointFolder.h"
#include "CheckpointHelpers.h"
#include "InterruptedFiles.h"
#include "MemoryDisk.h"
#include "TroubledFiles.h"
#include "smp/serialization/CheckpointReader.h"
#include <semaphore>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

class PinRaceTest : public testing::Test {
protected:
  CheckpointManager managerOver(FileSystem &files) {
    CheckpointManagerOptions options;
    options.directory = "/a";
    options.maxToKeep = 1;
    options.log = [](LogLevel, std::string_view) {};
    return CheckpointsOver::open(files, Checkpoint{{"number", number}},
                                 options);
  }
  /// A folder with ckpt-1, which the next save deletes.
  std::unique_ptr<MemoryDisk> begin() {
    auto disk = std::make_unique<MemoryDisk>("/");
    CheckpointManager manager = managerOver(*disk);
    save(manager);
    return disk;
  }
  /// As another process does it.
  static Status pin(FileSystem &files) {
    return CheckpointFolder(files, "/a", "ckpt").pin("ckpt-1");
  }
  static bool isComplete(FileSystem &files) {
    return CheckpointReader::open("/a/ckpt-1", files).ok();
  }
  static std::vector<std::string> namesOfFirst(FileSystem &files) {
    std::vector<std::string> names;
    EXPECT_EQ(files.list("/a", names), 0);
    std::erase_if(
        names, [](const auto &name) { return !name.starts_with("ckpt-1."); });
    return names;
  }
  /// A new manager goes on: what is pinned is there, of the rest nothing is.
  void expectAsSaid(MemoryDisk &disk, const Status &pinned) {
    CheckpointManager manager = managerOver(disk);
    ASSERT_TRUE(restore(manager));
    save(manager);
    save(manager);
    EXPECT_EQ(isComplete(disk), pinned.ok()) << pinned.message();
    EXPECT_EQ(namesOfFirst(disk).size(), pinned.ok() ? 3u : 0u)
        << testing::PrintToString(namesOfFirst(disk));
    if (pinned.ok())
      EXPECT_EQ(manager.unpin("ckpt-1").message(), "");
    save(manager);
    EXPECT_FALSE(isComplete(disk));
  }

  int64_t number = 0;
};

TEST_F(PinRaceTest, ASweepIsInterruptedByAPinAtEveryOperation) {
  int pins = 0, lates = 0, at = 0;
  for (bool isReached = true; isReached && !HasFailure(); ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    auto disk = begin();
    InterruptedFiles files(*disk);
    Status pinned = unavailable("not yet");
    {
      CheckpointManager manager = managerOver(files);
      ASSERT_TRUE(restore(manager));
      files.begin(at, [&] { pinned = pin(*disk); });
      save(manager);
      isReached = files.end();
      EXPECT_EQ(isComplete(*disk), pinned.ok()) << pinned.message();
    }
    pins += pinned.ok();
    lates += isReached && !pinned.ok();
    expectAsSaid(*disk, pinned);
  }
  EXPECT_GT(pins, 30);
  EXPECT_GT(lates, 5);
}

TEST_F(PinRaceTest, APinIsInterruptedByASweepAtEveryOperation) {
  int pins = 0, lates = 0;
  for (int at = 0; !HasFailure(); ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    auto disk = begin();
    InterruptedFiles files(*disk);
    CheckpointManager manager = managerOver(*disk);
    ASSERT_TRUE(restore(manager));
    files.begin(at, [&] { save(manager); });
    const Status pinned = pin(files);
    if (!files.end())
      break;
    EXPECT_EQ(isComplete(*disk), pinned.ok()) << pinned.message();
    (pinned.ok() ? pins : lates) += 1;
    manager = managerOver(*disk);
    expectAsSaid(*disk, pinned);
  }
  EXPECT_GT(pins, 3);
  EXPECT_GT(lates, 3);
}

/// Both stop in the middle of each other: so many operations of the save, then
/// of the pin, then of the save, the rest of the pin, the rest of the save.
struct Turns {
  int save, pin, again;
  bool isLong = false; ///< The pin has had so many operations.

  Status take(CheckpointManager &manager, InterruptedFiles &saving,
              InterruptedFiles &pinning, Status (*pinOver)(FileSystem &)) {
    std::binary_semaphore stopped(0), goOn(0);
    Status pinned = unavailable("not yet");
    std::thread other;
    const auto finish = [&] {
      goOn.release();
      other.join();
    };
    saving.begin(save, [&] {
      pinning.begin(pin, [&] {
        stopped.release();
        goOn.acquire();
      });
      other = std::thread([&] {
        pinned = pinOver(pinning);
        isLong = pinning.end();
        stopped.release();
      });
      stopped.acquire();
      saving.begin(again, finish);
    });
    EXPECT_TRUE(manager.save().ok());
    (void)saving.end();
    if (other.joinable())
      finish();
    return pinned;
  }
};

TEST_F(PinRaceTest, TheyTakeTurnsAtEveryOperation) {
  int pins = 0, lates = 0;
  const auto takeTurns = [&](Turns &turns) {
    SCOPED_TRACE(std::to_string(turns.save) + ", " + std::to_string(turns.pin) +
                 " and " + std::to_string(turns.again) + " operations");
    auto disk = begin();
    InterruptedFiles saving(*disk), pinning(*disk);
    CheckpointManager manager = managerOver(saving);
    ASSERT_TRUE(restore(manager));
    const Status pinned = turns.take(manager, saving, pinning, pin);
    EXPECT_EQ(isComplete(*disk), pinned.ok()) << pinned.message();
    EXPECT_EQ(namesOfFirst(*disk).size(), pinned.ok() ? 3u : 0u);
    (pinned.ok() ? pins : lates) += 1;
  };
  for (int save = 35; save < 60; ++save) // Those of the sweep among them.
    for (int again = 1; again <= 6; ++again) {
      Turns turns{save, 0, again};
      do {
        takeTurns(turns);
        ++turns.pin;
      } while (std::exchange(turns.isLong, false) && !HasFailure());
    }
  EXPECT_GT(pins, 100);
  EXPECT_GT(lates, 100);
}

/// The sweep is killed at every operation after the pin, and what it was about
/// to do is gone on with.
TEST_F(PinRaceTest, NoKillLosesThePin) {
  int pins = 0, withdrawn = 0;
  bool isReached = true;
  for (int at = 0; isReached && !HasFailure(); ++at)
    for (int kill = 0; !HasFailure(); ++kill) {
      SCOPED_TRACE("operation " + std::to_string(at) + ", killed at change " +
                   std::to_string(kill));
      auto disk = begin();
      TroubledFiles killed(*disk);
      InterruptedFiles files(killed);
      Status pinned = unavailable("not yet");
      {
        CheckpointManager manager = managerOver(files);
        ASSERT_TRUE(restore(manager));
        files.begin(at, [&] {
          pinned = pin(*disk);
          killed.begin(kill, Failing::Changes);
        });
        (void)manager.save();
        isReached = files.end();
      }
      const bool wasKilled = killed.wereTroubled();
      killed.end();
      if (!isReached || !wasKilled)
        break;
      pins += pinned.ok();
      withdrawn += pinned.ok() && !isComplete(*disk);
      expectAsSaid(*disk, pinned);
    }
  EXPECT_GT(pins, 300);
  EXPECT_GT(withdrawn, 0); // It was killed before it had looked again.
}

/// Nobody goes on with it before the pin.
TEST_F(PinRaceTest, WhatAKilledSweepHasSetAsideIsPinned) {
  int pins = 0, lates = 0, at = 0;
  for (bool isKilled = true; isKilled && !HasFailure(); ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    auto disk = begin();
    TroubledFiles files(*disk);
    {
      CheckpointManager manager = managerOver(files);
      ASSERT_TRUE(restore(manager));
      files.begin(at, Failing::Changes);
      (void)manager.save();
      isKilled = files.wereTroubled();
      files.end();
    }
    const bool wasComplete = isComplete(*disk);
    const Status pinned = pin(*disk);
    EXPECT_EQ(isComplete(*disk), pinned.ok());
    EXPECT_TRUE(pinned.ok() || !wasComplete);
    pins += pinned.ok() && !wasComplete;
    lates += !pinned.ok();
    expectAsSaid(*disk, pinned);
  }
  EXPECT_EQ(pins, 1);
  EXPECT_GT(lates, 2);
}

} // namespace
