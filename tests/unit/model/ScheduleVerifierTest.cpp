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

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

namespace {
/// Forward 0, backward 1 and update 2 on one partition, two microbatches.
struct OneStageTrained : testing::Test {
  PipelineShape pipeline = trainingChain(1);
  Schedule schedule = interleavedSchedule(pipeline, {.microbatches = 2});

  std::string verdict() const {
    return verifySchedule(pipeline, schedule).value_or("proved");
  }
};
} // namespace

TEST_F(OneStageTrained, IsProved) { EXPECT_EQ(verdict(), "proved"); }

TEST_F(OneStageTrained, UpdatesRunOnce) {
  schedule.actions[0].back().microbatch = 1;
  EXPECT_EQ(verdict(),
            "partition 0, action 8 (run stage 2, microbatch 1): stage 2 is an "
            "update stage: it runs once, as microbatch 0");
  schedule.actions[0].back() = run(2, 0);
  schedule.actions[0].push_back(run(2, 0));
  EXPECT_EQ(verdict(), "partition 0, action 9 (run stage 2, microbatch 0): it "
                       "was done before");
  schedule.actions[0].resize(8);
  EXPECT_EQ(verdict(), "partition 0 does not run stage 2, microbatch 0");
}

TEST_F(OneStageTrained, UpdatesComeLast) {
  std::swap(schedule.actions[0][7], schedule.actions[0][8]);
  EXPECT_EQ(verdict(),
            "partition 0, action 7 (run stage 2, microbatch 0): an update "
            "stage runs after every microbatch, and stage 1 has not run "
            "microbatch 1 yet");
}

TEST_F(OneStageTrained, MicrobatchesAreInOrder) {
  const std::vector<Action> actions = schedule.actions[0];
  schedule.actions[0] = {actions[4], actions[5], actions[6],
                         actions[7], actions[0], actions[1],
                         actions[2], actions[3], actions[8]};
  EXPECT_EQ(verdict(),
            "partition 0, action 0 (run stage 0, microbatch 1): stage 0 must "
            "run microbatch 0 next; gradients are summed in order");
  // Nothing is summed in a pipeline of forward stages.
  pipeline.stages[1].phase = Phase::Forward;
  pipeline.stages.pop_back();
  schedule.actions[0].pop_back();
  EXPECT_EQ(verdict(), "proved");
}

TEST_F(OneStageTrained, PhasesAreKnownAndChannelsStayWithinThem) {
  pipeline.stages[1].phase = Phase(4);
  EXPECT_EQ(verdict(), "stage 1 is of phase 4; the last one is 3");
  pipeline.stages[1].phase = Phase::Update;
  EXPECT_EQ(verdict(),
            "channel 0 goes from stage 0 to update stage 1; an update stage "
            "runs once per step and only another one can be at the other end");
  pipeline.stages[0].phase = Phase::Update;
  pipeline.stages[1].phase = Phase::Backward;
  EXPECT_EQ(verdict(),
            "channel 0 goes from update stage 0 to stage 1; an update stage "
            "runs once per step and only another one can be at the other end");
}

TEST(VerifySchedule, UpdateStagesExchangeOneTensor) {
  PipelineShape pipeline = trainingChain(2); // Updates are stages 4 and 5.
  connect(pipeline, 4, 5, 1);
  const uint32_t channel = uint32_t(pipeline.channels.size() - 1);
  Schedule schedule = interleavedSchedule(pipeline, {.microbatches = 3});
  setDepths(pipeline, channelDepths(pipeline, schedule));
  EXPECT_EQ(schedule.actions[0].back(), send(channel, 0));
  EXPECT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
  schedule.actions[0].push_back(send(channel, 1));
  std::optional<std::string> problem = verifySchedule(pipeline, schedule);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("(send channel 4, microbatch 1): stage 4 is an "
                          "update stage: it runs once, as microbatch 0"),
            std::string::npos)
      << *problem;
}
