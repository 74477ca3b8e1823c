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
                                Phase::Backward, Phase::Update}));
}

TEST(ChannelSeconds, AreOfTheFirstTakerOnAnotherPartition) {
  SampleProgram sample;
  Program &program = sample.program;
  Entry &entry = program.entries[0];
  entry.edges[1].predictedSeconds = 0.5;
  EXPECT_EQ(channelSeconds(program, entry), std::vector<double>{0.5});
  // A third stage beside the taker, and a fourth beside the maker.
  program.stages.push_back(program.stages[2]);
  program.stages.push_back(program.stages[2]);
  program.stages[program.stages.size() - 1].partition = 0;
  entry.stages.push_back(uint32_t(program.stages.size() - 2));
  entry.stages.push_back(uint32_t(program.stages.size() - 1));
  entry.edges[1].to = {{3, 0}, {1, 0}, {Edge::kCaller, 1}, {2, 0}};
  EXPECT_EQ(channelSeconds(program, entry), (std::vector<double>{0, 0.5, 0}));
}

TEST(PredictTimeline, PlaysTheScheduleByWhatTheProgramSays) {
  SampleProgram sample;
  Program &program = sample.program;
  Entry &entry = program.entries[0];
  program.stages[1].predictedSeconds = 1;
  program.stages[2].predictedSeconds = 2;
  entry.edges[1].predictedSeconds = 0.25;
  // The first stage, the way to the second one, and three runs of that.
  EXPECT_EQ(predictTimeline(program, entry, 3).makespan, 1 + 0.25 + 3 * 2);
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
