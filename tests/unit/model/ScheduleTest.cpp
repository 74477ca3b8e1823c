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
      simulate(pipeline, forwardOnly(pipeline, 4), {1, 1, 1}, {0, 0});
  EXPECT_EQ(timeline.makespan, 3 + (4 - 1)); // Fill, then one per beat.
}

TEST(Simulate, TheSlowestStageSetsThePace) {
  PipelineShape pipeline = chain(3, 2);
  Timeline timeline =
      simulate(pipeline, forwardOnly(pipeline, 10), {1, 5, 2}, {0, 0});
  EXPECT_EQ(timeline.makespan, 1 + 10 * 5 + 2);
}

TEST(Simulate, AChannelDelaysButDoesNotOccupyTheSender) {
  PipelineShape pipeline = chain(2, 8);
  Timeline timeline = simulate(pipeline, forwardOnly(pipeline, 3), {1, 1}, {5});
  EXPECT_EQ(timeline.partitions[0].back().end, 3);
  EXPECT_EQ(timeline.makespan, 1 + 5 + 3);
  const Timeline::Span &received = timeline.partitions[1][0];
  EXPECT_EQ(received.start, 0);
  EXPECT_EQ(received.end, 6);
}

TEST(Simulate, ABoundedChannelHoldsTheProducerBack) {
  PipelineShape pipeline = chain(2, 1);
  Timeline timeline = simulate(pipeline, forwardOnly(pipeline, 3), {1, 4}, {0});
  // One place: the producer runs again when the consumer is done.
  EXPECT_EQ(timeline.partitions[0][2].start, 5);
  EXPECT_EQ(timeline.makespan, 3 * (1 + 4));
  pipeline.channels[0].depth = 2;
  EXPECT_EQ(simulate(pipeline, forwardOnly(pipeline, 3), {1, 4}, {0}).makespan,
            1 + 3 * 4);
}
