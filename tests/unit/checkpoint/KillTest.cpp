// SPDX-License-Identifier: Apache-2.0
// A training that saves after every step, on one process or two, is killed
// again and again, at whatever it does, and gets where it would have got.
// SMP_TEST_LONG=1 kills 200 times.
#include "KilledRun.h"
#include "Seed.h"
#include <climits>
#include <csignal>
#include <iostream>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

struct Counts {
  int kills = 0;
  int saving = 0, writing = 0; // Of them.
  int trainings = 0;
};

class KillTest : public testing::TestWithParam<uint32_t> {
protected:
  /// A training in a folder of its own, killed while `kills` says so.
  void train(How how, int kills) {
    const TemporaryFolder folder;
    directory = folder.path();
    reported = 0;
    ++counts.trainings;
    const int wanted = counts.kills + kills;
    while (!HasFailure() &&
           !live(how, counts.kills < wanted ? draw(mostProgress) : kNever)) {
    }
    LayeredTraining alone(1, kRows);
    CheckpointManager manager(alone, {.directory = directory});
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(alone.steps(), kSteps);
    EXPECT_TRUE(alone.values() == expected.values[kSteps]);
  }

  int draw(int bound) { return int(random() % uint32_t(bound)); }

  static constexpr int kNever = INT_MAX;
  const uint32_t ranks = GetParam();
  const LayeredRun expected{kSteps, kRows};
  const uint32_t seed = chooseSeed();
  std::mt19937 random{seed};
  int mostProgress = 1; // That a life makes before it is killed.
  int progressMade = 0; // In the last one.
  Counts counts;

private:
  /// Starts the processes, and kills after so much progress. Whether they came
  /// to their end.
  bool live(How how, int after) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    told.clear();
    const std::string address =
        "unix:" + sockets.file(std::to_string(++numLives));
    pid_t children[kMostRanks];
    for (uint32_t rank = 0; rank < ranks; ++rank)
      if ((children[rank] = fork()) == 0) {
        close(ends[0]);
        _exit(runKilled({rank, ranks, address, 30, "kill"}, directory, how,
                        expected, told[rank], ends[1]));
      }
    close(ends[1]);
    if (waitForProgress(ends[0], after))
      killSome(children);
    const bool areDone = expectEnds(children);
    close(ends[0]); // Only now: who writes to it lives.
    return areDone;
  }

  /// False: the processes ended before.
  bool waitForProgress(int from, int after) {
    char bytes[256];
    for (progressMade = 0; progressMade < after;) {
      const auto most = std::min(sizeof(bytes), size_t(after - progressMade));
      const ssize_t got = read(from, bytes, most);
      if (got <= 0)
        return false;
      progressMade += int(got);
    }
    return true;
  }

  /// One of them or all. While they meet, nobody notices that one is gone but
  /// by its deadline.
  void killSome(const pid_t *children) {
    bool haveMet = true;
    for (uint32_t rank = 0; rank < ranks; ++rank)
      haveMet &= told[rank].restored >= 0;
    const auto victim = uint32_t(draw(int(ranks) + 1));
    for (uint32_t rank = 0; rank < ranks; ++rank)
      if (!haveMet || victim == ranks || victim == rank)
        kill(children[rank], SIGKILL);
  }

  bool expectEnds(const pid_t *children) {
    bool areDone = true, isKilled = false, wasSaving = false,
         wasWriting = false;
    int latest = reported;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      int status = 0;
      EXPECT_EQ(waitpid(children[rank], &status, 0), children[rank]);
      Told &one = told[rank];
      if (WIFSIGNALED(status)) {
        EXPECT_EQ(WTERMSIG(status), SIGKILL);
        isKilled = true;
        wasSaving |= one.isSaving();
        wasWriting |= one.isWriting();
      } else {
        EXPECT_NE(WEXITSTATUS(status), kBroken);
      }
      areDone &= WIFEXITED(status) && WEXITSTATUS(status) == kDone;
      // No restart before the last that was reported.
      if (one.restored >= 0)
        EXPECT_GE(one.restored, reported);
      latest = std::max(latest, int(one.reported));
    }
    reported = latest;
    EXPECT_TRUE(areDone || isKilled);
    counts.kills += isKilled;
    counts.saving += wasSaving;
    counts.writing += wasWriting;
    return areDone;
  }

  const TemporaryFolder sockets;
  ToldOfAll told;
  std::string directory;
  int reported = 0; // Steps, by any process of this training.
  int numLives = 0;
};

TEST_P(KillTest, ATrainingGetsWhereItWouldHaveGot) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const int wanted = std::getenv("SMP_TEST_LONG") ? 100 : 12;
  train(How::SaveAsyncAndWait, 0);
  // About four lives before the end.
  mostProgress = progressMade / 2;
  for (int i = 0; counts.kills < wanted && !HasFailure(); ++i)
    train(How(i % 3), wanted - counts.kills);
  EXPECT_EQ(counts.kills, wanted);
  EXPECT_GE(counts.writing, wanted * 2 / 5);
  std::cout << counts.kills << " kills, " << counts.saving
            << " during a save, of which " << counts.writing
            << " after its first operation on files, in " << counts.trainings
            << " trainings, with seed " << seed << "\n";
}

INSTANTIATE_TEST_SUITE_P(On, KillTest, testing::Range(1u, kMostRanks + 1),
                         [](const auto &info) {
                           return std::to_string(info.param) + "Processes";
                         });

} // namespace
