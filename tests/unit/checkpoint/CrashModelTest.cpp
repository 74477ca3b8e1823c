// SPDX-License-Identifier: Apache-2.0
// The power is cut at every place of saves, and the disk has any part of what
// was not synced: on one to four ranks, after a process that was killed, and
// after an operation that failed.
#include "CrashRuns.h"
#include "TroubledFiles.h"
#include <cstdlib>
#include <iostream>

using namespace smp;
using namespace smp::test;

namespace {

class CrashModelTest : public testing::TestWithParam<uint32_t> {};

TEST_P(CrashModelTest, TheLastCheckpointOrTheOneBeingMadeRestores) {
  const uint32_t ranks = GetParam();
  CrashOptions options;
  const bool isLong = std::getenv("SMP_TEST_LONG");
  options.hasTemporaries = ranks <= 2 || isLong;
  options.hasEveryCut = ranks <= (isLong ? 3 : 2);
  const CrashReport report = crash(recordSaves(ranks, 4), ranks, options);
  EXPECT_EQ(report.violation, "") << "seed " << options.seed;
  EXPECT_GT(report.cuts, 100u);
  EXPECT_GT(report.disks, 100u);
  std::cout << report.cuts << " cuts, " << report.drawnCuts
            << " of them drawn from with seed " << options.seed << ", "
            << report.states << " states, " << report.disks << " disks\n";
}

INSTANTIATE_TEST_SUITE_P(Of, CrashModelTest, testing::Range(1u, kMostRanks + 1),
                         [](const auto &info) {
                           return "Ranks" + std::to_string(info.param);
                         });

class CrashPlanTest : public testing::TestWithParam<CrashPlan> {};

TEST_P(CrashPlanTest, WhatStaysIsThereInEveryState) {
  for (uint32_t ranks : {1u, 2u}) {
    CrashOptions options;
    options.hasTemporaries = options.hasEveryCut = ranks == 1;
    const CrashReport report =
        crash(recordSaves(ranks, 4, GetParam()), ranks, options, GetParam());
    EXPECT_EQ(report.violation, "") << ranks << " ranks, seed " << options.seed;
    EXPECT_GT(report.disks, 50u);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, CrashPlanTest, testing::ValuesIn(crashPlans()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// A save meets the trouble at the operation, and one more is made: with
/// `isKilled` by another process.
struct TroubledSaves {
  int troubled; // The save's number.
  bool isKilled;
  CrashPlan plan = {};

  /// False when there is no such operation.
  bool record(int operation, Recording &recording) const {
    MemoryDisk disk(kRoot);
    Recorder recorder(disk, 1);
    TroubledFiles files(recorder.filesOf(0));
    auto run = std::make_unique<CrashRun>(files, 0, nullptr, plan);
    for (int save = 1; save <= troubled + 1; ++save) {
      run->trainFor(save);
      if (save == troubled)
        files.begin(operation, isKilled ? Failing::Changes : Failing::One);
      const Status saved =
          recorder.save(0, save, run->manager, plan.wanted(save));
      EXPECT_TRUE(saved.ok() || save == troubled) << saved.message();
      if (save != troubled)
        continue;
      if (isKilled)
        run.reset(); // What it does now is nothing.
      files.end();
      if (isKilled) {
        run = std::make_unique<CrashRun>(files, 0, nullptr, plan);
        run->goOn();
      }
    }
    recording = recorder.recording();
    return files.wereTroubled();
  }
};

class CrashAfterTroubleTest : public testing::TestWithParam<TroubledSaves> {};

TEST_P(CrashAfterTroubleTest, AtEveryOperation) {
  int at = 0;
  for (Recording recording; GetParam().record(at, recording) && !HasFailure();
       ++at)
    EXPECT_EQ(crash(std::move(recording), 1, {}, GetParam().plan).violation, "")
        << "operation " << at;
  EXPECT_GT(at, 20); // Three files, `checkpoint`, folders or deletions.
}

INSTANTIATE_TEST_SUITE_P(
    Of, CrashAfterTroubleTest,
    testing::Values(TroubledSaves{1, false}, TroubledSaves{1, true},
                    TroubledSaves{2, false}, TroubledSaves{2, true},
                    TroubledSaves{2, false, {.name = "Replaced", .number = 5}},
                    TroubledSaves{2, true, {.name = "Replaced", .number = 5}},
                    TroubledSaves{3, true, {.name = "Replaced", .number = 5}}),
    [](const auto &info) {
      return (info.param.isKilled ? "KillInSave" : "FailureInSave") +
             std::to_string(info.param.troubled) + info.param.plan.name;
    });

} // namespace
