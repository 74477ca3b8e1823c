// SPDX-License-Identifier: Apache-2.0
// Two processes save together, and one of them is killed, or its disk fails, at
// every one of its operations: the last complete checkpoint restores, and the
// other process learns of it.
#include "FailingDisk.h"
#include "RankTraining.h"
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

/// How a rank's save ended: its process' exit status. kSavedAnyway: it came to
/// the operation, whose failure did no harm.
enum Ending { kSaved = 0, kRefused = 1, kBroken = 2, kSavedAnyway = 3 };

/// Restores the first checkpoint, trains a step, and makes the second one with
/// the trouble on one rank.
Ending saveSecond(uint32_t rank, const std::string &directory,
                  const Fuse &trouble) {
  auto communicator =
      connectSockets({rank, 2, "unix:" + directory + ".socket", 30, "crash"});
  if (!communicator.ok())
    return kBroken;
  RankTraining training(communicator->get());
  CheckpointManager manager(training, {.directory = directory});
  const auto restored = manager.restore();
  if (!restored.ok() || !*restored)
    return kBroken;
  training.train();
  fuse = trouble;
  const auto saved = manager.save();
  const bool reached = fuse.armed && fuse.counted > fuse.at;
  fuse = {};
  if (!saved.ok() && saved.status().message().empty())
    return kBroken;
  return !saved.ok() ? kRefused : reached ? kSavedAnyway : kSaved;
}

struct Endings {
  int first, second;
  bool operator==(const Endings &) const = default;
};

Endings saveOnTwo(const std::string &directory, uint32_t victim,
                  const Fuse &trouble) {
  pid_t children[2];
  for (uint32_t rank = 0; rank < 2; ++rank)
    if ((children[rank] = fork()) == 0)
      _exit(saveSecond(rank, directory, rank == victim ? trouble : Fuse()));
  int ends[2];
  for (uint32_t rank = 0; rank < 2; ++rank) {
    int status = 0;
    EXPECT_EQ(waitpid(children[rank], &status, 0), children[rank]);
    EXPECT_TRUE(WIFEXITED(status));
    ends[rank] = WEXITSTATUS(status);
  }
  std::filesystem::remove(directory + ".socket");
  return {ends[0], ends[1]};
}

class RankCrashTest : public testing::TestWithParam<uint32_t> {
protected:
  RankCrashTest() {
    RankTraining training(nullptr);
    training.train();
    CheckpointManager manager(training, {.directory = start.path()});
    save(manager);
  }

  /// Whether the second checkpoint is the latest; else the first is.
  static bool restoresSecond(const std::string &directory) {
    RankTraining training(nullptr);
    CheckpointManager manager(training, {.directory = directory});
    EXPECT_TRUE(restore(manager));
    const bool isSecond = manager.latest().ends_with("ckpt-2");
    expectAfter(training, isSecond ? 2 : 1);
    // Whatever was left, the next save is good.
    training.train();
    save(manager);
    EXPECT_TRUE(restore(manager));
    expectAfter(training, isSecond ? 3 : 2);
    return isSecond;
  }

  /// The endings with the trouble at operation 0, 1, ..., to the first where
  /// there is none.
  std::vector<Endings> tryAll(Trouble trouble) {
    std::vector<Endings> all;
    bool wasSecond = false;
    do {
      const int at = int(all.size());
      SCOPED_TRACE("operation " + std::to_string(at));
      TemporaryFolder folder;
      std::filesystem::copy(start.path(), folder.path());
      all.push_back(
          saveOnTwo(folder.path(), GetParam(), {true, trouble, at, 0}));
      EXPECT_NE(all.back().first, kBroken);
      EXPECT_NE(all.back().second, kBroken);
      const bool isSecond = restoresSecond(folder.path());
      // Once it is there, a kill does not take it away.
      EXPECT_TRUE(isSecond || !wasSecond || trouble == Trouble::Fail);
      wasSecond = isSecond;
      // Who says that it is saved is right.
      for (int ending : {all.back().first, all.back().second})
        EXPECT_TRUE(isSecond || (ending != kSaved && ending != kSavedAnyway));
    } while (!HasFailure() && all.back() != Endings{kSaved, kSaved});
    return all;
  }

  TemporaryFolder start;
};

TEST_P(RankCrashTest, KilledAtAnyOperation) {
  const std::vector<Endings> all = tryAll(Trouble::Kill);
  EXPECT_GT(all.size(), GetParam() == 0 ? 18u : 8u);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const auto &[first, second] = all[i];
    EXPECT_EQ(GetParam() == 0 ? first : second, kKilled) << i;
    EXPECT_EQ(GetParam() == 0 ? second : first, kRefused) << i;
  }
}

TEST_P(RankCrashTest, AnOperationThatFails) {
  const std::vector<Endings> all = tryAll(Trouble::Fail);
  EXPECT_GT(all.size(), GetParam() == 0 ? 18u : 8u);
  size_t refused = 0;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const bool isRefused = all[i].first == kRefused;
    EXPECT_EQ(all[i].second == kRefused, isRefused) << i;
    refused += isRefused;
  }
  EXPECT_GT(refused, GetParam() == 0 ? 14u : 5u);
}

INSTANTIATE_TEST_SUITE_P(Of, RankCrashTest, testing::Values(0u, 1u),
                         [](const auto &info) {
                           return "Rank" + std::to_string(info.param);
                         });

} // namespace
