// SPDX-License-Identifier: Apache-2.0
// What a budget knows of a save's cost, and when the next one is made.
#include "CheckpointHelpers.h"
#include "CountingFiles.h"
#include "MemoryDisk.h"
#include "StepTimes.h"
#include <ctime>
#include <semaphore>

using namespace smp;
using namespace smp::test;

namespace {

constexpr const char *kLeftOut = "the budget of saves left this one out";

double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

void work(double seconds) {
  for (const double end = threadSeconds() + seconds; threadSeconds() < end;)
    ;
}

/// Commits by a lot of work.
class DearFiles : public CountingFiles {
public:
  using CountingFiles::CountingFiles;
  int rename(const std::string &from, const std::string &to) override {
    if (to.ends_with("/checkpoint"))
      work(kSeconds);
    return CountingFiles::rename(from, to);
  }
  static constexpr double kSeconds = 0.5;
};

/// Commits when it is let to, without work.
class HeldFiles : public CountingFiles {
public:
  using CountingFiles::CountingFiles;
  int rename(const std::string &from, const std::string &to) override {
    if (to.ends_with("/checkpoint"))
      gate.acquire();
    return CountingFiles::rename(from, to);
  }
  std::counting_semaphore<> gate{0};
};

class SaveBudgetTest : public testing::Test {
protected:
  CheckpointManager managerOver(FileSystem &files, double budget) {
    CheckpointManagerOptions options;
    options.directory = "/a";
    options.budget = budget;
    options.stepCounter = &step;
    options.checkpointInterval = 1;
    return CheckpointsOver::open(files, Checkpoint{{"number", number}},
                                 options);
  }
  /// Steps that take nothing; a save is not due.
  static void stepAlone(CheckpointManager &manager) {
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(manager.saveAsync().wait().status().message(), "");
  }
  int64_t number = 0, step = 1;
  MemoryDisk disk{"/"};
};

/// It goes on after the files are written.
TEST_F(SaveBudgetTest, ACommitCosts) {
  DearFiles dear(disk);
  // The next one is made ten seconds later. Without its commit the save costs a
  // few milliseconds, and the next one could be made at once.
  CheckpointManager manager = managerOver(dear, DearFiles::kSeconds / 10);
  ASSERT_EQ(manager.saveAsync().wait().status().message(), "");
  ++step;
  EXPECT_EQ(manager.saveAsync().wait().status().message(), kLeftOut);
  EXPECT_EQ(manager.counts().spaced, 1u);
}

/// Of a save that takes nothing itself.
TEST_F(SaveBudgetTest, WhatStepsLoseCosts) {
  HeldFiles held(disk);
  constexpr double kStep = 0.3;
  // A few milliseconds let the next save be made soon, 0.3 s after 6.
  CheckpointManager manager = managerOver(held, kStep / 6);
  // Three tell what they lose. Beside the first save no step alone is known,
  // and one may end a little after who waits for it has gone on.
  for (int save = 0; save < 6; ++save) {
    CheckpointSave saved = manager.saveAsync();
    while (saved.done()) // Left out; another is held.
      saved = manager.saveAsync();
    work(kStep);
    held.gate.release();
    EXPECT_EQ(saved.wait().status().message(), "");
    stepAlone(manager);
    ++step;
  }
  for (const double end = threadSeconds() + 2 * kStep; threadSeconds() < end;) {
    const CheckpointSave next = manager.saveAsync();
    if (!next.done()) // It is made, and held.
      held.gate.release();
    ASSERT_EQ(next.wait().status().message(), kLeftOut);
  }
  EXPECT_EQ(manager.counts().committed, 6u);
}

/// With all of its time a training may save soon again.
TEST_F(SaveBudgetTest, IsForATime) {
  DearFiles dear(disk);
  CheckpointManager manager = managerOver(dear, 1);
  for (int save = 0; save < 3; ++save)
    for (++step; !manager.saveAsync().wait().ok();)
      ;
  EXPECT_EQ(manager.counts().committed, 3u);
}

//===----------------------------------------------------------------------===//
// What steps lose
//===----------------------------------------------------------------------===//

/// A training on a clock of its own.
class Steps {
public:
  /// One that takes so long, between two calls of a tenth of a second.
  void step(double seconds, bool isSaving) {
    times.callEnds(now, isSaving);
    pass(seconds);
    times.callBegins(now);
    pass(0.1);
  }
  void stepsAlone(int count, double seconds) {
    for (int i = 0; i < count; ++i)
      step(seconds, false);
  }
  /// A save beside so many steps.
  void save(int steps, double seconds) {
    times.saveBegins();
    for (int i = 0; i < steps; ++i)
      step(seconds, true);
    stepsAlone(4, 1.0);
  }
  /// A call after something that is no step.
  void comeBack() { times.callBegins(now); }
  void pass(double seconds) {
    now += std::chrono::duration_cast<StepTimes::Time::duration>(
        std::chrono::duration<double>(seconds));
  }

  StepTimes times;

private:
  StepTimes::Time now{};
};

TEST(StepTimesTest, SaysWhatStepsLose) {
  Steps steps;
  steps.stepsAlone(8, 1.0);
  for (int save = 0; save < 3; ++save) {
    EXPECT_EQ(steps.times.lostToASave(), 0);
    steps.save(2, 1.25);
  }
  EXPECT_NEAR(steps.times.lostToASave(), 0.5, 1e-6);
  // Of the last nine the median.
  for (int save = 0; save < 4; ++save)
    steps.save(1, 1.125);
  EXPECT_NEAR(steps.times.lostToASave(), 0.125, 1e-6);
}

TEST(StepTimesTest, OutliersSayNothing) {
  Steps steps;
  steps.stepsAlone(8, 1.0);
  for (int save = 0; save < 4; ++save)
    steps.save(2, 1.25);
  steps.stepsAlone(1, 1000.0);
  steps.save(1, 1000.0);
  steps.stepsAlone(8, 1.0);
  EXPECT_NEAR(steps.times.lostToASave(), 0.5, 1e-6);
}

TEST(StepTimesTest, StepsThatAreFasterLoseNothing) {
  Steps steps;
  steps.stepsAlone(8, 1.0);
  for (int save = 0; save < 5; ++save)
    steps.save(2, 0.75);
  EXPECT_EQ(steps.times.lostToASave(), 0);
}

/// While no step is known that is beside none.
TEST(StepTimesTest, SavesWithoutAnythingBesideThemSayNothing) {
  Steps steps;
  for (int i = 0; i < 30; ++i) {
    steps.times.saveBegins();
    steps.step(2.0, true);
  }
  steps.stepsAlone(4, 1.0);
  EXPECT_EQ(steps.times.lostToASave(), 0);
}

TEST(StepTimesTest, WaitingIsNoStep) {
  Steps steps;
  steps.stepsAlone(8, 1.0);
  for (int save = 0; save < 3; ++save) {
    steps.save(2, 1.25);
    for (int awaited = 0; awaited < 20; ++awaited) {
      steps.times.saveBegins();
      steps.times.forgetCall();
      steps.pass(50);
      steps.comeBack();
    }
    steps.stepsAlone(4, 1.0);
  }
  EXPECT_NEAR(steps.times.lostToASave(), 0.5, 1e-6);
}

} // namespace
