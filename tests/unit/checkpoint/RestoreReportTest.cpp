// SPDX-License-Identifier: Apache-2.0
// Restoring says what it has done, name by name.
#include "CheckpointHelpers.h"

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

class RestoreReportTest : public testing::Test {
protected:
  CheckpointManager managerOf(Checkpoint checkpoint) {
    return CheckpointManager(std::move(checkpoint),
                             {.directory = folder.path()});
  }
  static RestoreReport reportOf(CheckpointManager &manager,
                                const RestoreOptions &options = {}) {
    StatusOr<RestoreReport> report = manager.restore(options);
    EXPECT_TRUE(report.ok()) << report.status().message();
    return report.ok() ? report.take() : RestoreReport();
  }

  /// The session's model and a number, in ckpt-1.
  void saveWithEpoch(Trained &session) {
    int64_t epoch = 3;
    CheckpointManager manager =
        managerOf(Checkpoint{{"model", session}, {"epoch", epoch}});
    save(manager);
  }

  TemporaryFolder folder;
};

TEST_F(RestoreReportTest, NothingIsSaidToBeNothing) {
  Trained session;
  CheckpointManager manager = managerOf(Checkpoint(session));
  const RestoreReport report = reportOf(manager);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.path, "");
  EXPECT_EQ(report.matched, Names());
  const std::string text =
      "nothing was restored: there was no checkpoint to restore";
  EXPECT_EQ(report.assertConsumed().message(), text);
  EXPECT_EQ(report.assertExistingMatched().message(), text);
}

TEST_F(RestoreReportTest, AllThatMatchesIsNamed) {
  Trained session;
  int64_t epoch = 3;
  CheckpointManager manager =
      managerOf(Checkpoint{{"model", session}, {"epoch", epoch}});
  save(manager);
  const RestoreReport report = reportOf(manager);
  EXPECT_TRUE(report.restored());
  EXPECT_EQ(report.path, folder.file("ckpt-1"));
  EXPECT_EQ(report.matched,
            (Names{"epoch", "model/w", "model/b", "save_counter"}));
  EXPECT_TRUE(report.assertConsumed().ok());
  EXPECT_EQ(differencesOf(report), "");
}

TEST_F(RestoreReportTest, RootsThatAreLeftOutAreNotConsumed) {
  Trained session;
  CheckpointManager saving = managerOf(Checkpoint(session));
  save(saving);
  CheckpointManager manager = managerOf(Checkpoint{{"model", session}});
  const RestoreReport report = reportOf(manager);
  EXPECT_EQ(report.extra, (Names{"optimizer/w.m", "optimizer/b.m", "random/key",
                                 "state/mean"}));
  EXPECT_TRUE(report.assertExistingMatched().ok());
  const Status status = report.assertConsumed();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "checkpoint '" + folder.file("ckpt-1") +
                "' does not fit the program: it has 'optimizer/w.m', "
                "'optimizer/b.m', 'random/key', 'state/mean', which the "
                "program has not");
}

TEST_F(RestoreReportTest, APartIsRestoredWhereThatIsExpected) {
  Trained first;
  first.step();
  saveWithEpoch(first);
  auto maker = makeTrainable();
  maker->program.variables[1].name = "c";
  Trained second(std::move(maker));
  const Values before = second.values();
  int64_t round = 9;
  CheckpointManager manager = managerOf(
      Checkpoint{{"model", second}, {"optimizer", second}, {"round", round}});
  EXPECT_FALSE(manager.restore().ok());
  EXPECT_EQ(second.values(), before);
  const RestoreReport report = reportOf(manager, {.expectPartial = true});
  EXPECT_EQ(report.matched, (Names{"model/w", "save_counter"}));
  EXPECT_EQ(report.missing,
            (Names{"model/c", "optimizer/w.m", "optimizer/b.m", "round"}));
  EXPECT_EQ(report.extra, (Names{"model/b", "epoch"}));
  Values expected = before;
  expected["w"] = first.values()["w"];
  EXPECT_EQ(second.values(), expected);
  EXPECT_EQ(round, 9);
  EXPECT_EQ(second->steps(), (StepCounts{1, 0, 0, 0}));
  EXPECT_EQ(second.warnings, Names()); // The report says it.
  EXPECT_EQ(report.assertExistingMatched().message(),
            "checkpoint '" + folder.file("ckpt-1") +
                "' does not fit the program: it lacks 'model/c', "
                "'optimizer/w.m', 'optimizer/b.m', 'round'");
}

TEST_F(RestoreReportTest, AnotherTypeIsNeverPartial) {
  Trained first;
  saveWithEpoch(first);
  auto maker = makeTrainable();
  maker->program.variables[0].type.shape = {4, 4};
  maker->program.variables[1].type.dtype = DType::F16;
  Trained second(std::move(maker));
  const Values before = second.values();
  std::string text = "as it was";
  CheckpointManager manager =
      managerOf(Checkpoint{{"model", second}, {"epoch", text}});
  const auto refused = manager.restore({.expectPartial = true});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(),
            "checkpoint '" + folder.file("ckpt-1") +
                "' does not fit the program: it has 'model/w' as f32[2x8], and "
                "the program as f32[4x4]; it has 'model/b' as bf16[3], and the "
                "program as f16[3]; value 'epoch': the checkpoint has a i64 of "
                "rank 0; text was to be restored; restore into what was saved");
  EXPECT_EQ(second.values(), before);
  EXPECT_EQ(text, "as it was");
}

} // namespace
