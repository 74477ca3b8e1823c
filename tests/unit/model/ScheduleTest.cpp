// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(ForwardOnly, IsMicrobatchAfterMicrobatch) {
  Schedule schedule = forwardOnly(chain(2, 1), 2);
  ASSERT_EQ(schedule.actions.size(), 2u);
  EXPECT_EQ(schedule.actions[0], (std::vector<Action>{run(0, 0), send(0, 0),
                                                      run(0, 1), send(0, 1)}));
  EXPECT_EQ(schedule.actions[1],
            (std::vector<Action>{receive(0, 0), run(1, 0), receive(0, 1),
                                 run(1, 1)}));
}

TEST(ForwardOnly, APartitionWithoutStagesDoesNothing) {
  PipelineShape pipeline = chain(1, 1);
  pipeline.partitions = 3;
  Schedule schedule = forwardOnly(pipeline, 4);
  EXPECT_EQ(schedule.actions[0].size(), 4u);
  EXPECT_TRUE(schedule.actions[1].empty() && schedule.actions[2].empty());
}

TEST(Simulate, OneStageTakesItsTimePerMicrobatch) {
  PipelineShape pipeline = chain(1, 1);
  Timeline timeline = simulate(pipeline, forwardOnly(pipeline, 3), {2}, {});
  EXPECT_EQ(timeline.makespan, 6);
  EXPECT_EQ(timeline.partitions[0][1].start, 2);
}

TEST(Simulate, StagesOverlap) {
  PipelineShape pipeline = chain(3, 2);
  Timeline timeline =
      simulate(pipeline, forwardOnly(pipeline, 4), {1, 1, 1}, {{}, {}});
  EXPECT_EQ(timeline.makespan, 3 + (4 - 1)); // Fill, then one per beat.
}

TEST(Simulate, TheSlowestStageSetsThePace) {
  PipelineShape pipeline = chain(3, 2);
  Timeline timeline =
      simulate(pipeline, forwardOnly(pipeline, 10), {1, 5, 2}, {{}, {}});
  EXPECT_EQ(timeline.makespan, 1 + 10 * 5 + 2);
}

TEST(Simulate, ALatencyDelaysAndOccupiesNobody) {
  PipelineShape pipeline = chain(2, 8);
  Timeline timeline =
      simulate(pipeline, forwardOnly(pipeline, 3), {1, 1}, {{.latency = 5}});
  EXPECT_EQ(timeline.partitions[0].back().end, 3);
  EXPECT_EQ(timeline.makespan, 1 + 5 + 3);
  const Timeline::Span &received = timeline.partitions[1][0];
  EXPECT_EQ(received.start, 0);
  EXPECT_EQ(received.end, 6);
  EXPECT_EQ(received.wait, 6);
}

TEST(Simulate, ATransferOccupiesBothEnds) {
  PipelineShape pipeline = chain(2, 8);
  Timeline timeline = simulate(pipeline, forwardOnly(pipeline, 3), {1, 4},
                               {{.send = 2, .latency = 10, .receive = 3}});
  // The sender: 1 to run and 2 to send. The tensor is there 10 later; of the
  // receiver's 7 each, 3 are to receive it.
  EXPECT_EQ(timeline.partitions[0].back().end, 3 * 3);
  const std::vector<Timeline::Span> &spans = timeline.partitions[1];
  EXPECT_EQ(spans[0].wait, 13);
  EXPECT_EQ(spans[0].end, 13 + 3);
  EXPECT_EQ(spans[1].end, 16 + 4);
  EXPECT_EQ(spans[2].wait, 0); // It was there at 16.
  EXPECT_EQ(spans[2].end, 20 + 3);
  EXPECT_EQ(timeline.makespan, 13 + 3 * 7);
  // Busy for 9 and 21 of twice 34.
  EXPECT_DOUBLE_EQ(bubble(pipeline, timeline), 1 - 30. / 68);
}

TEST(TransferCosts, ATensorIsPaidForOnceOnEachPartition) {
  PipelineShape pipeline;
  pipeline.partitions = 3;
  for (uint32_t partition : {1, 1, 0, 0, 2})
    pipeline.stages.push_back({partition, {}, {}});
  for (uint32_t to = 1; to < 5; ++to)
    connect(pipeline, 0, to, 1);
  const std::vector<ChannelCost> costs =
      transferCosts(pipeline, pipeline.channels, 7);
  ASSERT_EQ(costs.size(), 4u);
  std::vector<double> sends, receives;
  for (const ChannelCost &cost : costs) {
    sends.push_back(cost.send);
    receives.push_back(cost.receive);
    EXPECT_EQ(cost.latency, 0);
  }
  EXPECT_EQ(sends, (std::vector<double>{0, 7, 0, 0}));
  EXPECT_EQ(receives, (std::vector<double>{0, 7, 0, 7}));
  EXPECT_TRUE(transferCosts(pipeline, {}, 7).empty());
}

TEST(Simulate, ABoundedChannelHoldsTheProducerBack) {
  PipelineShape pipeline = chain(2, 1);
  Timeline timeline =
      simulate(pipeline, forwardOnly(pipeline, 3), {1, 4}, {{}});
  // One place: the producer runs again when the consumer is done.
  EXPECT_EQ(timeline.partitions[0][2].start, 5);
  EXPECT_EQ(timeline.makespan, 3 * (1 + 4));
  pipeline.channels[0].depth = 2;
  EXPECT_EQ(simulate(pipeline, forwardOnly(pipeline, 3), {1, 4}, {{}}).makespan,
            1 + 3 * 4);
}
