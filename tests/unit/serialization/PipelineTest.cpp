// SPDX-License-Identifier: Apache-2.0
#include "SampleProgram.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(PipelineShape, HasAChannelPerEdgeAndConsumingStage) {
  SampleProgram sample;
  Program &program = sample.program;
  Entry &entry = program.entries[0];
  PipelineShape pipeline = pipelineShape(program, entry);
  EXPECT_EQ(pipeline.partitions, 2u);
  ASSERT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(pipeline.stages[1].partition, 1u);
  // Of three edges one goes from stage to stage; its end at the caller and the
  // edges from and to the caller are no channels.
  ASSERT_EQ(pipeline.channels.size(), 1u);
  EXPECT_EQ(pipeline.channels[0].from, 0u);
  EXPECT_EQ(pipeline.channels[0].to, 1u);
  EXPECT_EQ(pipeline.channels[0].depth, 3u);
  EXPECT_EQ(pipeline.stages[0].sends, std::vector<uint32_t>{0});
  EXPECT_EQ(pipeline.stages[1].receives, std::vector<uint32_t>{0});

  entry.stages.push_back(2);
  entry.edges[1].to.insert(entry.edges[1].to.begin() + 1, Edge::End{2, 0});
  pipeline = pipelineShape(program, entry);
  ASSERT_EQ(pipeline.channels.size(), 2u);
  EXPECT_EQ(pipeline.channels[1].to, 2u);
  EXPECT_EQ(pipeline.stages[0].sends, (std::vector<uint32_t>{0, 1}));
}

TEST(PipelineShape, TakesPhasesFromUnits) {
  SampleProgram sample;
  PipelineShape pipeline =
      pipelineShape(sample.program, sample.program.entries[1]);
  std::vector<Phase> phases;
  for (const PipelineShape::Stage &stage : pipeline.stages)
    phases.push_back(stage.phase);
  EXPECT_EQ(phases,
            (std::vector<Phase>{Phase::Forward, Phase::Forward, Phase::Backward,
                                Phase::Weight, Phase::Update}));
}

TEST(ScheduleOf, IsTheStoredOneWhereThereIsOne) {
  SampleProgram sample;
  const Entry &predict = sample.program.entries[0];
  const Entry &train = sample.program.entries[1];
  Schedule generated = scheduleOf(sample.program, predict, 7);
  EXPECT_EQ(generated.microbatches, 7u);
  EXPECT_EQ(generated.actions[0].size(), 7u * 2);
  Schedule stored = scheduleOf(sample.program, train, 7);
  EXPECT_EQ(stored.microbatches, 2u);
  EXPECT_EQ(stored.actions, train.actions);
}

TEST(PredictedCosts, AreThoseOfStagesAndEdges) {
  SampleProgram sample;
  Entry &predict = sample.program.entries[0];
  EXPECT_EQ(predictedStageCosts(sample.program, predict),
            (std::vector<double>{1e-6, 2e-6}));
  EXPECT_EQ(predictTimeline(sample.program, predict, 1).makespan, 3e-6);
  addTransferSeconds(sample.program);
  std::vector<ChannelCost> costs =
      predictedChannelCosts(sample.program, predict);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].send, 4e-6);
  EXPECT_EQ(costs[0].receive, 4e-6);
  EXPECT_DOUBLE_EQ(predictTimeline(sample.program, predict, 1).makespan,
                   1e-6 + 4e-6 + 4e-6 + 2e-6);
  // Of training: what is kept is channel 1, and stays where it is.
  Entry &train = sample.program.entries[1];
  for (Edge &edge : train.edges)
    edge.transferSeconds = 1e-6;
  costs = predictedChannelCosts(sample.program, train);
  ASSERT_EQ(costs.size(), 4u);
  std::vector<double> sends;
  for (const ChannelCost &cost : costs)
    sends.push_back(cost.send);
  EXPECT_EQ(sends, (std::vector<double>{1e-6, 0, 0, 1e-6}));
}

TEST(SetForwardOrder, GivesStagesLagsAndEdgesDepths) {
  SampleProgram sample;
  Entry &predict = sample.program.entries[0];
  PipelineShape pipeline = pipelineShape(sample.program, predict);
  pipeline.stages[1].lag = 1;
  pipeline.channels[0].depth = 4;
  setForwardOrder(predict, pipeline);
  EXPECT_EQ(predict.lags, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(predict.edges[1].depth, 4u);
  EXPECT_EQ(pipelineShape(sample.program, predict).stages[1].lag, 1u);
  const Schedule schedule = scheduleOf(sample.program, predict, 3);
  EXPECT_EQ(schedule.actions, forwardOnly(pipeline, 3).actions);
  // An order that is microbatch after microbatch is no news.
  pipeline.stages[1].lag = 0;
  setForwardOrder(predict, pipeline);
  EXPECT_TRUE(predict.lags.empty());
}

TEST(SetEdgeDepths, GivesEachEdgeItsDeepestChannel) {
  SampleProgram sample;
  Program &program = sample.program;
  Entry &train = program.entries[1];
  const PipelineShape pipeline = pipelineShape(program, train);
  const Schedule schedule = scheduleOf(program, train, 0);
  // Two rows wait for the backward stage; only one is on its way at a time.
  const std::vector<uint32_t> depths = channelDepths(pipeline, schedule);
  EXPECT_EQ(depths, (std::vector<uint32_t>{2, 2, 1, 1}));
  for (Edge &edge : train.edges)
    edge.depth = 9;
  setEdgeDepths(train, depths);
  std::vector<uint32_t> set;
  for (const Edge &edge : train.edges)
    set.push_back(edge.depth);
  EXPECT_EQ(set, (std::vector<uint32_t>{9, 9, 2, 1, 1, 9}));
}
