// SPDX-License-Identifier: Apache-2.0
// The partition problem: its checks, its answers, its conflicts.

#include "smp/passes/planning/PartitionSolver.h"
#include <gtest/gtest.h>

using namespace smp::passes;

namespace {

/// A chain of items of one second each; `cut` seconds per transfer.
PartitionProblem chain(uint32_t partitions, uint32_t length, double cut = 0.1) {
  PartitionProblem problem(partitions);
  for (uint32_t i = 0; i < length; ++i)
    problem.addItem({"op" + std::to_string(i), 1, 10, 0});
  for (uint32_t i = 0; i + 1 < length; ++i)
    problem.addTensor({i, {i + 1}, cut, 4});
  return problem;
}

PartitionAnswer solve(const PartitionProblem &problem) {
  PartitionResult result = solvePartition(problem);
  if (auto *conflict = std::get_if<PartitionConflict>(&result)) {
    ADD_FAILURE() << conflict->message;
    return {};
  }
  auto answer = std::get<PartitionAnswer>(result);
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  return answer;
}

PartitionConflict conflictOf(const PartitionProblem &problem) {
  PartitionResult result = solvePartition(problem);
  EXPECT_TRUE(std::holds_alternative<PartitionConflict>(result));
  return std::holds_alternative<PartitionConflict>(result)
             ? std::get<PartitionConflict>(result)
             : PartitionConflict{};
}

/// That what a partition sends never comes back to it.
void expectOneStageEach(const PartitionProblem &problem,
                        const PartitionAnswer &answer) {
  uint32_t count = problem.getNumPartitions();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (const auto &tensor : problem.getTensors())
    for (uint32_t consumer : tensor.consumers)
      reaches[answer.partitionOf[tensor.producer]]
             [answer.partitionOf[consumer]] = true;
  for (uint32_t p = 0; p < count; ++p)
    reaches[p][p] = false;
  for (uint32_t via = 0; via < count; ++via)
    for (uint32_t a = 0; a < count; ++a)
      for (uint32_t b = 0; b < count; ++b)
        if (reaches[a][via] && reaches[via][b])
          reaches[a][b] = true;
  for (uint32_t p = 0; p < count; ++p)
    EXPECT_FALSE(reaches[p][p]) << "partition " << p;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

TEST(PartitionSolver, CutsAChainInTheMiddle) {
  PartitionAnswer answer = solve(chain(2, 6));
  EXPECT_DOUBLE_EQ(answer.objective, 3.1);
  EXPECT_DOUBLE_EQ(answer.bound, 3.1);
  EXPECT_EQ(answer.partitionOf, (std::vector<uint32_t>{0, 0, 0, 1, 1, 1}));
}

TEST(PartitionSolver, KeepsTogetherWhatIsDearToCut) {
  PartitionAnswer answer = solve(chain(2, 4, /*cut=*/100));
  EXPECT_DOUBLE_EQ(answer.objective, 4);
}

TEST(PartitionSolver, HonoursPinsAgainstTheOrder) {
  PartitionProblem problem = chain(2, 6);
  problem.pin(0, 1);
  problem.pin(5, 0);
  PartitionAnswer answer = solve(problem);
  EXPECT_EQ(answer.partitionOf, (std::vector<uint32_t>{1, 1, 1, 0, 0, 0}));
}

TEST(PartitionSolver, GivesAPartitionSeveralStretches) {
  PartitionProblem problem = chain(2, 5);
  problem.pin(0, 0);
  problem.pin(2, 1);
  problem.pin(4, 0);
  PartitionAnswer answer = solve(problem);
  EXPECT_EQ(answer.partitionOf[0], 0u);
  EXPECT_EQ(answer.partitionOf[2], 1u);
  EXPECT_EQ(answer.partitionOf[4], 0u);
  EXPECT_LE(answer.objective, 3.2 + 1e-9);
}

TEST(PartitionSolver, KeepsTiesThatSpanTheModel) {
  // Tied embeddings: the first and the last op share a table.
  PartitionProblem problem = chain(2, 8);
  problem.colocate(0, 7, "table");
  PartitionAnswer answer = solve(problem);
  EXPECT_EQ(answer.partitionOf[0], answer.partitionOf[7]);
  EXPECT_LE(answer.objective, 4.2 + 1e-9);
}

TEST(PartitionSolver, RespectsTheMemoryLimit) {
  PartitionProblem problem(2);
  problem.addItem({"large", 1, 90, 10});
  problem.addItem({"small", 1, 10, 10});
  problem.addItem({"middle", 10, 40, 10});
  problem.setMemoryLimit(100);
  PartitionAnswer answer = solve(problem);
  EXPECT_NE(answer.partitionOf[0], answer.partitionOf[1]);
  EXPECT_EQ(answer.partitionOf[1], answer.partitionOf[2]);
}

TEST(PartitionSolver, WeighsMemoryWhenAsked) {
  PartitionProblem problem(2);
  problem.addItem({"slow", 4, 1, 0});
  problem.addItem({"a", 1, 50, 0});
  problem.addItem({"b", 1, 50, 0});
  EXPECT_EQ(solve(problem).partitionOf[1], solve(problem).partitionOf[2]);
  problem.setMemoryWeight(1);
  EXPECT_NE(solve(problem).partitionOf[1], solve(problem).partitionOf[2]);
}

TEST(PartitionSolver, LeavesPartitionsEmptyWhenThereIsLittleToDo) {
  PartitionAnswer answer = solve(chain(4, 2, /*cut=*/5));
  EXPECT_EQ(answer.partitionOf[0], answer.partitionOf[1]);
  EXPECT_DOUBLE_EQ(solve(PartitionProblem(3)).objective, 0);
}

TEST(PartitionSolver, IsTheSameEveryTime) {
  PartitionProblem problem = chain(3, 200, 0.05);
  for (uint32_t i = 0; i + 9 < 200; i += 7)
    problem.addTensor({i, {i + 3, i + 9}, 0.2, 8});
  EXPECT_EQ(solve(problem).partitionOf, solve(problem).partitionOf);
}

TEST(PartitionSolver, SplitsALongChainWell) {
  PartitionAnswer answer = solve(chain(8, 20000, 0.5));
  EXPECT_LE(answer.objective, 2501.5);
  EXPECT_GE(answer.bound, 2500);
}

/// Two chains side by side that meet at the end: a partition of its own for
/// each is best, and needs no second stage.
TEST(PartitionSolver, IsContiguousWhenThatCostsLittle) {
  PartitionProblem problem(2);
  for (uint32_t i = 0; i < 9; ++i)
    problem.addItem({"op" + std::to_string(i), i == 8 ? 0.1 : 1, 0, 0});
  for (uint32_t i = 0; i < 6; ++i)
    problem.addTensor({i, {i + 2}, 0.5, 4});
  problem.addTensor({6, {8}, 0.01, 4});
  problem.addTensor({7, {8}, 0.01, 4});
  problem.preferContiguous();
  PartitionAnswer answer = solve(problem);
  EXPECT_NEAR(answer.objective, 4.11, 1e-9);
  expectOneStageEach(problem, answer);
}

/// One stage each takes 1.1, any number 1.0.
TEST(PartitionSolver, IsContiguousForMoreWhereItTrains) {
  for (bool trains : {false, true}) {
    PartitionProblem problem(2);
    for (double seconds : {0.5, 0.6, 0.5, 0.4})
      problem.addItem({"op", seconds, 0, 0});
    for (uint32_t i = 0; i < 3; ++i)
      problem.addTensor({i, {i + 1}, 0, 4});
    PartitionItem back{"back", 0, 0, 0};
    back.isBackward = trains;
    problem.addItem(back);
    problem.preferContiguous();
    const PartitionAnswer answer = solve(problem);
    EXPECT_NEAR(answer.objective, trains ? 1.1 : 1.0, 1e-9);
    EXPECT_NEAR(answer.bound, 1.0, 1e-9);
  }
}

TEST(PartitionSolver, IsNotContiguousAtAnyPrice) {
  // A short item between two long ones that must be together.
  PartitionProblem problem = chain(2, 3, 0.01);
  problem.addItem({"late", 1.9, 0, 0});
  problem.colocate(0, 2, "w");
  problem.preferContiguous();
  PartitionAnswer answer = solve(problem);
  EXPECT_LE(answer.objective, 2.9 + 0.03);
  EXPECT_LT(answer.objective, 3);
}

TEST(PartitionSolver, ComparesByTheMeasure) {
  // The long item in the middle goes alone, unless it is short with the first.
  PartitionProblem problem(2);
  for (double seconds : {0.9, 2.0, 1.0})
    problem.addItem({"op", seconds, 10, 0});
  problem.addTensor({0, {1}, 0.01, 4});
  problem.addTensor({1, {2}, 0.01, 4});
  EXPECT_NEAR(solve(problem).objective, 2.02, 1e-9);
  unsigned calls = 0;
  const Measure measure = [&](const std::vector<uint32_t> &partitionOf) {
    ++calls;
    return partitionOf[0] == partitionOf[1] ? 1.5 : 2.0;
  };
  PartitionResult result = solvePartition(problem, {.measure = measure});
  const auto &answer = std::get<PartitionAnswer>(result);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  EXPECT_NEAR(answer.objective, 2.91, 1e-9);
  EXPECT_NEAR(answer.bound, 2.02, 1e-9);
}

TEST(PartitionSolver, KeepsPinsWhenContiguous) {
  PartitionProblem problem = chain(3, 9);
  problem.preferContiguous();
  problem.pin(0, 2);
  problem.pin(2, 2);
  problem.pin(4, 0);
  PartitionAnswer answer = solve(problem);
  expectOneStageEach(problem, answer);
  EXPECT_EQ(answer.partitionOf,
            (std::vector<uint32_t>{2, 2, 2, 0, 0, 0, 1, 1, 1}));
  problem.pin(8, 2); // No longer possible in one stage each.
  solve(problem);
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

TEST(PartitionConflicts, NameThePinThatHasNoPartition) {
  PartitionProblem problem = chain(3, 2);
  problem.pin(1, 3);
  PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.message,
            "op1 is pinned to partition 3, but there are 3 (0..2)");
  EXPECT_EQ(conflict.items, std::vector<uint32_t>{1});
}

TEST(PartitionConflicts, NameTwoPinsAndTheirVariable) {
  PartitionProblem problem = chain(2, 3);
  problem.colocate(0, 2, "w");
  problem.pin(0, 0);
  problem.pin(2, 1);
  PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.message,
            "op0 is pinned to partition 0 and op2 to partition 1, but ops that "
            "share a variable (here 'w') stay on one partition");
  EXPECT_EQ(conflict.items, (std::vector<uint32_t>{0, 2}));
}

TEST(PartitionConflicts, NameTheFewestPinsThatOverfillAPartition) {
  PartitionProblem problem = chain(3, 6);
  for (uint32_t i = 0; i < 5; ++i)
    problem.pin(i, 1);
  problem.setMemoryLimit(25);
  PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.items.size(), 3u);
  EXPECT_EQ(conflict.message.find("no placement keeps the memory limit of 25 "
                                  "bytes per partition and these pins: "),
            0u)
      << conflict.message;
}

TEST(PartitionConflicts, BlameTheLimitAloneWhenItIsToBlame) {
  PartitionProblem problem = chain(2, 6);
  problem.pin(0, 0);
  problem.setMemoryLimit(29);
  PartitionConflict conflict = conflictOf(problem);
  EXPECT_TRUE(conflict.items.empty());
  EXPECT_EQ(conflict.message,
            "the ops need 60 bytes of variables, which do not fit 2 partitions "
            "under the memory limit of 29 bytes per partition; raise the limit "
            "or the number of partitions");
  problem.setMemoryLimit(9);
  EXPECT_EQ(
      conflictOf(problem).message,
      "op0, with what shares its variables, needs 10 bytes, more than the "
      "memory limit of 9 bytes per partition; raise the limit");
}

TEST(PartitionVerify, FindsEveryFault) {
  PartitionProblem problem = chain(2, 3);
  problem.pin(0, 1);
  problem.colocate(1, 2, "w");
  problem.setMemoryLimit(25);
  auto fault = [&](std::vector<uint32_t> partitionOf, double objective = 0,
                   double bound = 0) {
    return problem.verify({std::move(partitionOf), objective, bound})
        .value_or("");
  };
  EXPECT_EQ(fault({1}), "1 of 3 items have a partition");
  EXPECT_EQ(fault({1, 2, 2}), "op1 is on partition 2 of 2");
  EXPECT_EQ(fault({0, 0, 0}), "op0 is on partition 0, pinned to 1");
  EXPECT_EQ(fault({1, 0, 1}),
            "op1 and op2 share 'w' but are on different partitions");
  EXPECT_EQ(fault({1, 1, 1}), "a partition needs 30 bytes, the limit is 25");
  EXPECT_EQ(fault({1, 0, 0}, 5).find("the objective is 2.1"), 0u);
  EXPECT_EQ(fault({1, 0, 0}, 2.1, 2.2).find("the bound 2.2"), 0u);
  EXPECT_EQ(fault({1, 0, 0}, 2.1, 2.1),
            "the bound is 2.100000, proved is 0.000000");
  EXPECT_EQ(fault({1, 0, 0}, 2.1), "");
}

} // namespace
