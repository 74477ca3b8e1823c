// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {
/// Stage 0 on partition 0 feeds stage 1 on partition 1, two microbatches.
struct TwoStages : testing::Test {
  PipelineShape pipeline = chain(2, 1);
  Schedule schedule = forwardOnly(pipeline, 2);

  std::string verdict() const {
    return verifySchedule(pipeline, schedule).value_or("proved");
  }
};
} // namespace

TEST_F(TwoStages, ForwardOnlyIsProved) { EXPECT_EQ(verdict(), "proved"); }

TEST_F(TwoStages, PartitionCountsMustAgree) {
  schedule.actions.emplace_back();
  EXPECT_EQ(verdict(), "the schedule is for 3 partitions, the pipeline has 2");
}

TEST_F(TwoStages, AStageRunsOnItsPartition) {
  schedule.actions[1].push_back(run(0, 0));
  EXPECT_EQ(verdict(), "partition 1, action 4 (run stage 0, microbatch 0): "
                       "stage 0 is on partition 0");
}

TEST_F(TwoStages, IndicesAndKindsAreChecked) {
  schedule.actions[0][0].index = 7;
  EXPECT_EQ(verdict(), "partition 0, action 0 (run stage 7, microbatch 0): "
                       "there are 2 stages");
  schedule.actions[0][0] = send(3, 0);
  EXPECT_EQ(verdict(), "partition 0, action 0 (send channel 3, microbatch 0): "
                       "there are 1 channels");
  schedule.actions[0][0] = run(0, 2);
  EXPECT_EQ(verdict(), "partition 0, action 0 (run stage 0, microbatch 2): "
                       "there are 2 microbatches");
  schedule.actions[0][0].kind = ActionKind(9);
  EXPECT_NE(verdict().find("unknown kind 9"), std::string::npos);
}

TEST_F(TwoStages, NothingIsDoneTwice) {
  schedule.actions[0].push_back(run(0, 1));
  EXPECT_EQ(verdict(), "partition 0, action 4 (run stage 0, microbatch 1): it "
                       "was done before");
}

TEST_F(TwoStages, NothingIsLeftOut) {
  schedule.actions[1].pop_back();
  EXPECT_EQ(verdict(), "partition 1 does not run stage 1, microbatch 1");
  schedule = forwardOnly(pipeline, 2);
  schedule.actions[0].pop_back();
  EXPECT_EQ(verdict(), "partition 0 does not send channel 0, microbatch 1");
}

TEST_F(TwoStages, SoManyMicrobatchesWithoutActionsCostNothing) {
  schedule.microbatches = UINT32_MAX;
  EXPECT_EQ(verdict(), "partition 0 does not run stage 0, microbatch 2");
}

TEST_F(TwoStages, SendsFollowTheRun) {
  std::swap(schedule.actions[0][0], schedule.actions[0][1]);
  EXPECT_EQ(verdict(), "partition 0, action 0 (send channel 0, microbatch 0): "
                       "stage 0 has not run yet");
}

TEST_F(TwoStages, RunsFollowTheirReceives) {
  std::swap(schedule.actions[1][0], schedule.actions[1][1]);
  EXPECT_EQ(verdict(), "partition 1, action 0 (run stage 1, microbatch 0): "
                       "channel 0 was not received yet");
}

TEST_F(TwoStages, BothEndsAgreeOnTheOrder) {
  schedule.actions[1] = {receive(0, 1), run(1, 1), receive(0, 0), run(1, 0)};
  EXPECT_EQ(verdict(), "channel 0: partition 0 sends microbatch 0 as number 0, "
                       "partition 1 receives microbatch 1 then");
}

TEST_F(TwoStages, ADeadlockNamesWhoWaitsForWhom) {
  schedule.actions[0] = {run(0, 0), run(0, 1), send(0, 0), send(0, 1)};
  EXPECT_EQ(
      verdict(),
      "deadlock: partition 0, action 1 (run stage 0, microbatch 1) waits for "
      "one of 1 places of channel 0 from stage 1 on partition 1; partition 1, "
      "action 0 (receive channel 0, microbatch 0) waits for a tensor of "
      "channel 0 from stage 0 on partition 0");
  pipeline.channels[0].depth = 2;
  EXPECT_EQ(verdict(), "proved");
}

TEST_F(TwoStages, ThePipelineIsCheckedFirst) {
  pipeline.channels[0].depth = 0;
  EXPECT_EQ(verdict(), "channel 0 has depth 0; it needs 1 at least");
  pipeline = chain(2, 1);
  pipeline.stages[1].partition = 2;
  EXPECT_EQ(verdict(), "stage 1 is on partition 2 of 2");
  pipeline = chain(2, 1);
  pipeline.channels[0].to = 0;
  EXPECT_EQ(verdict(), "channel 0 goes from stage 0 to stage 0 of 2; it must "
                       "go to a later stage");
  pipeline = chain(2, 1);
  pipeline.stages[1].receives.clear();
  EXPECT_EQ(verdict(), "channel 0 goes to stage 1, which does not list it");
  pipeline = chain(2, 1);
  pipeline.stages[0].sends.push_back(0);
  EXPECT_EQ(verdict(), "stage 0 sends channel 0 twice");
  pipeline.stages[0].sends = {4};
  EXPECT_EQ(verdict(), "stage 0 sends channel 4 of 1");
  pipeline.stages[0].sends = {0};
  pipeline.stages[0].receives = {0};
  EXPECT_EQ(verdict(), "stage 0 receives channel 0, which goes to stage 1");
}

TEST(VerifySchedule, AFallBackLoopOnOnePartitionIsProved) {
  // Stages 0 and 2 share partition 0; 1 is between them on partition 1.
  PipelineShape pipeline = chain(3, 1);
  pipeline.partitions = 2;
  pipeline.stages[2].partition = 0;
  connect(pipeline, 0, 2, 1);
  for (uint32_t m : {1, 2, 5})
    EXPECT_EQ(verifySchedule(pipeline, forwardOnly(pipeline, m)), std::nullopt);
}

TEST(VerifySchedule, CrossedReceivesAreADeadlock) {
  // Two channels both ways round: each partition waits for the other first.
  PipelineShape pipeline;
  pipeline.partitions = 2;
  pipeline.stages = {{0, {}, {}}, {1, {}, {}}, {1, {}, {}}, {0, {}, {}}};
  connect(pipeline, 0, 2, 4);
  connect(pipeline, 1, 3, 4);
  Schedule schedule;
  schedule.actions = {{receive(1, 0), run(3, 0), run(0, 0), send(0, 0)},
                      {receive(0, 0), run(2, 0), run(1, 0), send(1, 0)}};
  std::optional<std::string> problem = verifySchedule(pipeline, schedule);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->find("deadlock: partition 0, action 0"), 0u) << *problem;
}
