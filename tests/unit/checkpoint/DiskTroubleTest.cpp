// SPDX-License-Identifier: Apache-2.0
// A disk that is full, read-only or gone: nothing is lost, and the training
// goes on when the disk does.
#include "CheckpointHelpers.h"
#include "MemoryDisk.h"
#include "TroubledFiles.h"

using namespace smp;
using namespace smp::test;

namespace {

const std::string kFolder = "/runs/a";

struct Disk {
  const char *name;
  int error;
  Failing failing;
};

/// Two checkpoints of a number that is their own, of two that are kept.
class DiskTroubleTest : public testing::TestWithParam<Disk> {
protected:
  DiskTroubleTest() {
    disk.putFolder("/runs");
    auto manager = open();
    saveNext(*manager);
    saveNext(*manager);
  }

  std::unique_ptr<CheckpointManager> open() {
    return std::make_unique<CheckpointManager>(
        CheckpointsOver::open(files, Checkpoint{{"number", number}},
                              {.directory = kFolder, .maxToKeep = 2}));
  }
  void saveNext(CheckpointManager &manager) {
    ++number;
    EXPECT_EQ(save(manager), kFolder + "/ckpt-" + std::to_string(number));
  }
  int64_t restored(CheckpointManager &manager) {
    number = -1;
    EXPECT_TRUE(restore(manager));
    return number;
  }

  MemoryDisk disk{"/"};
  TroubledFiles files{disk, GetParam().error};
  int64_t number = 0;
};

TEST_P(DiskTroubleTest, AtEveryOperationOfASave) {
  const std::string why = std::strerror(GetParam().error);
  int refused = 0;
  for (int operation = 0;; ++operation) {
    SCOPED_TRACE("operation " + std::to_string(operation));
    const int64_t before = number;
    auto manager = open();
    EXPECT_EQ(restored(*manager), before);
    ++number;
    files.begin(operation, GetParam().failing);
    const auto saved = manager->save();
    const bool isOver = !files.wereTroubled();
    if (!saved.ok()) {
      ++refused;
      const std::string &message = saved.status().message();
      EXPECT_NE(message.find("'" + kFolder), message.npos) << message;
      EXPECT_NE(message.find(why), message.npos) << message;
    }
    // Whoever looks now is told that there is nothing, or gets what there is.
    int64_t seen = -1;
    {
      auto other = CheckpointsOver::open(files, Checkpoint{{"number", seen}},
                                         {.directory = kFolder});
      const auto got = other.restore();
      if (GetParam().failing == Failing::All && files.wereTroubled())
        EXPECT_FALSE(got.ok());
      else
        EXPECT_TRUE(got.ok() && *got && seen >= before)
            << got.status().message();
    }
    files.end();
    EXPECT_NE(manager->latest(), "");
    // The same one goes on, and so does another.
    const int64_t least = saved.ok() ? before + 1 : before;
    EXPECT_GE(restored(*manager), least);
    manager = open();
    EXPECT_GE(restored(*manager), least);
    number = before + 10;
    save(*manager);
    EXPECT_EQ(restored(*manager), before + 10);
    manager = open();
    EXPECT_EQ(restored(*manager), before + 10);
    if (isOver || HasFailure())
      break;
  }
  EXPECT_GT(refused, 10);
}

TEST_P(DiskTroubleTest, BeforeAnything) {
  auto manager = open();
  files.begin(0, GetParam().failing);
  const auto got = manager->restore();
  const bool isGone = GetParam().failing == Failing::All;
  EXPECT_EQ(got.ok(), !isGone) << got.status().message();
  auto late = open(); // Which has seen nothing.
  const auto none = late->restore();
  EXPECT_EQ(none.ok() && *none, !isGone) << none.status().message();
  EXPECT_EQ(none.ok(), !isGone); // It does not begin anew.
  files.end();
  number = -1;
  EXPECT_TRUE(restore(*manager));
  EXPECT_EQ(number, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Of, DiskTroubleTest,
    testing::Values(Disk{"Full", ENOSPC, Failing::One},
                    Disk{"StaysFull", ENOSPC, Failing::Changes},
                    Disk{"ReadOnly", EROFS, Failing::Changes},
                    Disk{"Vanished", ENODEV, Failing::All},
                    Disk{"BrokenCable", EIO, Failing::All}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
