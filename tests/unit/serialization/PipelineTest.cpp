// SPDX-License-Identifier: Apache-2.0
#include "SampleProgram.h"
#include "smp/serialization/Memory.h"
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

TEST(MemoryOf, CountsWhatEachPartitionHolds) {
  SampleProgram sample;
  PartitionMemory first = memoryOf(sample.program, 0);
  EXPECT_EQ(first.variables, 64u); // w, read by the prepare stage
  EXPECT_EQ(first.prepared, 64u);
  EXPECT_EQ(first.constants, 48u);
  EXPECT_EQ(first.arena, 128u);
  EXPECT_EQ(first.channels, 3 * 64u); // 32 bytes, in places of 64
  EXPECT_EQ(first.total(), 64u + 64 + 48 + 128 + 192);
  PartitionMemory second = memoryOf(sample.program, 1);
  EXPECT_EQ(second.variables + second.prepared + second.constants, 0u);
  EXPECT_EQ(second.arena, 0u);
  EXPECT_EQ(second.channels, 2 * 64u);
}
