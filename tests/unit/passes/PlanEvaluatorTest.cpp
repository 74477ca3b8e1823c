// SPDX-License-Identifier: Apache-2.0
// Seconds and bytes of small programs, computed by hand.

#include "smp/passes/planning/PlanEvaluator.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::passes;
using Role = FlowGraph::Role;

namespace {

/// Builds an entry of tensors of 64 bytes that take 1 second to send and 0.5 to
/// copy.
class EntryBuilder {
public:
  uint32_t input() { return value(FlowGraph::kCaller); }

  uint32_t add(Role role, int32_t partition, std::vector<uint32_t> operands,
               uint32_t subject = 0, double seconds = 0) {
    FlowGraph::Op op;
    op.role = role;
    op.partition = partition;
    op.phase = phase;
    op.readsInPlace.assign(operands.size(), true);
    op.operands = std::move(operands);
    op.subject = subject;
    op.seconds = seconds;
    const auto number = uint32_t(graph.ops.size());
    if (role != Role::Write)
      op.results = {value(number)};
    graph.ops.push_back(op);
    return role == Role::Write ? 0 : op.results.front();
  }
  uint32_t kernel(int32_t partition, std::vector<uint32_t> operands,
                  double seconds = 1) {
    return add(Role::Kernel, partition, std::move(operands), 0, seconds);
  }
  void give(uint32_t value) { graph.results.push_back({value}); }

  FlowGraph graph;
  Phase phase = Phase::Forward; ///< Of ops that are added.

private:
  uint32_t value(uint32_t maker) {
    return graph.addValue({maker, 64, 0.5, 1, false});
  }
};

ProgramFlow programOf(EntryBuilder entry, uint32_t partitions) {
  ProgramFlow program;
  program.partitions = partitions;
  program.variables = {{64, false}, {64, false}};
  program.entries = {std::move(entry.graph)};
  return program;
}

PlanFigures figuresOf(const ProgramFlow &program,
                      PipelineKind kind = PipelineKind::Interleaved) {
  std::optional<PlanFigures> figures = evaluatePlan(program, {kind, 0});
  EXPECT_TRUE(figures);
  return figures.value_or(PlanFigures());
}

/// x -> a -> b -> y, where a reads variable 0, and b is on `partition`.
ProgramFlow chain(int32_t partition) {
  EntryBuilder entry;
  const uint32_t x = entry.input();
  const uint32_t w = entry.add(Role::Read, 0, {});
  const uint32_t a = entry.kernel(0, {x, w}, 2);
  entry.give(entry.kernel(partition, {a}, 3));
  return programOf(entry, 2);
}

TEST(PlanEvaluator, OneStageHasAnArena) {
  const PlanFigures figures = figuresOf(chain(0));
  EXPECT_EQ(figures.partitions[0].variables, 64);
  EXPECT_EQ(figures.partitions[0].arena, 64);
  EXPECT_EQ(figures.partitions[0].bytes(), 128);
  EXPECT_EQ(figures.partitions[1].bytes(), 0);
  EXPECT_EQ(figures.bottleneck(), 5);
  EXPECT_EQ(figures.stepSeconds, 5);
}

TEST(PlanEvaluator, TwoStagesHaveAChannel) {
  const PlanFigures figures = figuresOf(chain(1));
  EXPECT_EQ(figures.partitions[0].arena, 0);
  EXPECT_EQ(figures.partitions[0].channels, 128);
  EXPECT_EQ(figures.partitions[0].bytes(), 192);
  EXPECT_EQ(figures.partitions[1].bytes(), 0);
  EXPECT_EQ(figures.partitions[0].seconds(), 2 + 1);
  EXPECT_EQ(figures.partitions[1].seconds(), 3 + 1);
  EXPECT_EQ(figures.stepSeconds, 2 + 1 + 1 + 3);
}

TEST(PlanEvaluator, AnEntryCountsByItsWeight) {
  ProgramFlow program = chain(1);
  program.entries.front().weight = 0.5;
  const PlanFigures figures = figuresOf(program);
  EXPECT_EQ(figures.partitions[0].seconds(), (2 + 1) / 2.0);
  EXPECT_EQ(figures.partitions[1].seconds(), (3 + 1) / 2.0);
  EXPECT_EQ(figures.stepSeconds, (2 + 1 + 1 + 3) / 2.0);
}

/// x -> a -> b -> c -> d -> y on partitions 0 and 1 by turns; d takes a too.
TEST(PlanEvaluator, WhatWaitsForStagesThatLagHasPlaces) {
  EntryBuilder entry;
  const uint32_t a = entry.kernel(0, {entry.input()});
  const uint32_t b = entry.kernel(1, {a});
  const uint32_t c = entry.kernel(0, {b});
  entry.give(entry.kernel(1, {c, a}));
  const PlanFigures figures = figuresOf(programOf(entry, 2));
  // c and d are a microbatch behind a and b. From the start of a to the end of
  // d, of the next round, it is two and a half rounds; to the end of b, and
  // from b to that of c, less than two; d is written in place.
  EXPECT_EQ(figures.partitions[0].channels, 3 * 64 + 2 * 64);
  EXPECT_EQ(figures.partitions[1].channels, 2 * 64);
}

TEST(PlanEvaluator, AStashWaitsAsOftenAsTheScheduleSays) {
  EntryBuilder entry;
  entry.graph.microbatches = 4;
  const uint32_t x = entry.input();
  const uint32_t a = entry.kernel(0, {x});
  entry.give(entry.kernel(0, {a}));
  entry.phase = Phase::Backward;
  const uint32_t sum = entry.add(Role::Read, 0, {}, 1);
  entry.add(Role::Write, 0, {entry.kernel(0, {a, sum})}, 1);
  ProgramFlow program = programOf(entry, 1);
  program.variables[1].isAccumulator = true;
  // All microbatches' at once, or one after the other's backward work.
  EXPECT_EQ(figuresOf(program, PipelineKind::Simple).partitions[0].channels,
            4 * 64);
  EXPECT_EQ(
      figuresOf(program, PipelineKind::Interleaved).partitions[0].channels, 64);
  EXPECT_EQ(figuresOf(program).partitions[0].rollback, 0);
  EXPECT_EQ(figuresOf(program).partitions[0].arena, 0);
  EXPECT_EQ(figuresOf(program).stepSeconds, 4 * 3);
}

TEST(PlanEvaluator, WhatMicrobatchesChangeIsRolledBack) {
  EntryBuilder entry;
  const uint32_t x = entry.input();
  const uint32_t old = entry.add(Role::Read, 0, {}, 1);
  const uint32_t next = entry.kernel(0, {x, old});
  entry.add(Role::Write, 0, {next}, 1);
  // Somebody reads the old value after the kernel that makes the next: it is
  // written by a copy, which takes time, and waits in the arena.
  entry.give(entry.kernel(0, {next}));
  EXPECT_EQ(figuresOf(programOf(entry, 1)).partitions[0].arena, 0);
  EXPECT_EQ(figuresOf(programOf(entry, 1)).bottleneck(), 2);
  entry.give(entry.kernel(0, {old}));
  const PlanFigures late = figuresOf(programOf(entry, 1));
  EXPECT_EQ(late.partitions[0].rollback, 64);
  EXPECT_EQ(late.partitions[0].arena, 64);
  EXPECT_EQ(late.bottleneck(), 3.5);
}

TEST(PlanEvaluator, PreparedValuesAreMadeWhereTheyAreUsed) {
  EntryBuilder prepare;
  const uint32_t w = prepare.add(Role::Read, 0, {}, 0);
  prepare.give(prepare.kernel(0, {prepare.kernel(0, {w})}));
  EntryBuilder entry;
  const uint32_t x = entry.input();
  const uint32_t packed = entry.add(Role::Prepared, 0, {}, 0);
  entry.give(entry.kernel(1, {x, packed}));
  ProgramFlow program = programOf(entry, 2);
  program.prepare = prepare.graph;
  program.preparedBytes = {64};
  const PlanFigures figures = figuresOf(program);
  EXPECT_EQ(figures.partitions[0].bytes(), 0);
  EXPECT_EQ(figures.partitions[1].prepared, 64);
  EXPECT_EQ(figures.partitions[1].variables, 64);
  EXPECT_EQ(figures.partitions[1].arena, 64);
}

TEST(PlanEvaluator, OpsEverywhereAreCopiedToTheirUsers) {
  EntryBuilder entry;
  const uint32_t x = entry.input();
  const uint32_t mask = entry.kernel(FlowGraph::kEverywhere, {x});
  entry.give(entry.kernel(1, {entry.kernel(0, {x, mask}), mask}));
  const PlanFigures figures = figuresOf(programOf(entry, 2));
  // Each has a mask in its arena; one tensor goes from 0 to 1.
  EXPECT_EQ(figures.partitions[0].arena, 64);
  EXPECT_EQ(figures.partitions[1].arena, 64);
  EXPECT_EQ(figures.partitions[0].channels, 128);
  EXPECT_EQ(figures.partitions[0].seconds(), 3);
}

TEST(PlanEvaluator, AWriteThatWaitsForAnotherPartitionHasNoStages) {
  EntryBuilder entry;
  entry.graph.microbatches = 2;
  const uint32_t x = entry.input();
  const uint32_t old = entry.add(Role::Read, 0, {}, 1);
  const uint32_t a = entry.kernel(0, {x, old});
  const uint32_t b = entry.kernel(1, {a});
  entry.add(Role::Write, 0, {entry.kernel(0, {b})}, 1);
  EXPECT_FALSE(evaluatePlan(programOf(entry, 2), {}));
}

} // namespace
