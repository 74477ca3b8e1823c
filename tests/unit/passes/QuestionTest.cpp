// SPDX-License-Identifier: Apache-2.0
// Partition problems that are no questions, kinds of partitions and links, and
// conflicts by name.

#include "smp/passes/planning/PartitionSolver.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace smp::passes;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A chain of items of one second and ten bytes each.
PartitionProblem chain(uint32_t partitions, uint32_t length) {
  PartitionProblem problem(partitions);
  for (uint32_t i = 0; i < length; ++i)
    problem.addItem({"op" + std::to_string(i), 1, 10, 0});
  for (uint32_t i = 0; i + 1 < length; ++i)
    problem.addTensor({i, {i + 1}, 0.1, 4});
  return problem;
}

/// What is said of a problem, by the solver as by the check.
std::string faultOf(const PartitionProblem &problem) {
  const std::optional<PartitionConflict> conflict = problem.check();
  const PartitionResult result = solvePartition(problem);
  const auto *refused = std::get_if<PartitionConflict>(&result);
  EXPECT_TRUE(conflict && refused);
  if (!conflict || !refused)
    return {};
  EXPECT_EQ(conflict->message, refused->message);
  EXPECT_EQ(conflict->items, refused->items);
  return conflict->message;
}

PartitionConflict conflictOf(const PartitionProblem &problem) {
  EXPECT_EQ(problem.check(), std::nullopt);
  const PartitionResult result = solvePartition(problem);
  const auto *conflict = std::get_if<PartitionConflict>(&result);
  EXPECT_NE(conflict, nullptr);
  return conflict ? *conflict : PartitionConflict();
}

PartitionAnswer solve(const PartitionProblem &problem) {
  const PartitionResult result = solvePartition(problem);
  if (const auto *conflict = std::get_if<PartitionConflict>(&result)) {
    ADD_FAILURE() << conflict->message;
    return {};
  }
  const auto &answer = std::get<PartitionAnswer>(result);
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  return answer;
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST(Question, HasPartitions) {
  EXPECT_EQ(faultOf(PartitionProblem(0)),
            "there are no partitions to place ops on");
}

TEST(Question, HasTimesThatAreNumbers) {
  for (double seconds : {kNaN, -1.0, kInfinity}) {
    PartitionProblem problem = chain(2, 2);
    problem.addItem({"odd", seconds, 0, 0});
    EXPECT_EQ(faultOf(problem),
              "odd takes " + std::to_string(seconds) +
                  " seconds; times are numbers of at least 0");
    PartitionProblem sent = chain(2, 2);
    sent.addTensor({0, {1}, seconds, 4});
    EXPECT_EQ(faultOf(sent), "a tensor of op0 takes " +
                                 std::to_string(seconds) +
                                 " seconds; times are numbers of at least 0");
    PartitionProblem late = chain(2, 2);
    late.addTensor({0, {1}, 0, 4, {{0, 0, seconds}}});
    EXPECT_EQ(faultOf(late), "a tensor of op0 takes " +
                                 std::to_string(seconds) +
                                 " seconds; times are numbers of at least 0");
  }
}

TEST(Question, HasTimesThatCanBeAdded) {
  PartitionProblem problem = chain(2, 2);
  problem.addItem({"long", 1e308, 0, 0});
  problem.addItem({"longer", 1e308, 0, 0});
  EXPECT_EQ(faultOf(problem),
            "the times of all ops and tensors are too many to be added");
}

TEST(Question, HasBytesThatAreSizes) {
  PartitionProblem problem = chain(2, 2);
  problem.addItem({"odd", 0, -5, 0});
  EXPECT_EQ(faultOf(problem),
            "odd needs -5 bytes; sizes are numbers of at least 0");
  PartitionProblem large(2);
  for (int i = 0; i < 3; ++i)
    large.addItem({"large", 0, std::numeric_limits<int64_t>::max() / 2, 0});
  EXPECT_EQ(faultOf(large),
            "the bytes of all ops and tensors are too many to be added");
}

TEST(Question, HasAsManyCostsAsKinds) {
  PartitionProblem problem = chain(2, 2);
  problem.setKind(1, 1);
  problem.addItem({"odd", 0, 0, 0, 0, {1, 2, 3}});
  EXPECT_EQ(faultOf(problem),
            "odd has times on 3 kinds of partitions, there are 2");
  PartitionProblem linked = chain(2, 2);
  linked.setLink(0, 1, 1);
  linked.addTensor({0, {1}, 0, 4, {{1, 1, 1}}});
  EXPECT_EQ(faultOf(linked),
            "a tensor of op0 has costs on 1 kinds of links, there are 2");
}

TEST(Question, HasConsumersThatThereAre) {
  PartitionProblem problem = chain(2, 2);
  problem.addTensor({0, {1, 7}, 0.1, 4});
  EXPECT_EQ(faultOf(problem),
            "a tensor of op0 is taken by item 7, but there are 2");
}

TEST(Question, AllowsPartitionsThatThereAre) {
  PartitionProblem problem = chain(2, 2);
  problem.addItem({"odd", 0, 0, 0, 0, {}, {0, 2}});
  EXPECT_EQ(faultOf(problem), "odd may be on partition 2, but there are 2");
  PartitionProblem unsorted = chain(3, 2);
  unsorted.addItem({"odd", 0, 0, 0, 0, {}, {1, 0}});
  EXPECT_EQ(faultOf(unsorted), "odd names partition 0 after 1; those that may "
                               "have it are named once, ascending");
}

TEST(Question, HasAWeightOfMemory) {
  PartitionProblem problem = chain(2, 2);
  problem.setMemoryWeight(kNaN);
  EXPECT_EQ(faultOf(problem),
            "the memory weight is nan; it must be between 0.0 and 1.0");
  problem.setMemoryWeight(0.5);
  problem.setObjective(Objective::Latency);
  EXPECT_EQ(faultOf(problem), "memory cannot be weighed against latency; set "
                              "the memory weight to 0");
}

TEST(Question, HasProducersFirst) {
  PartitionProblem problem = chain(2, 3);
  problem.addItem({"late", 1, 0, 0});
  problem.addTensor({3, {1}, 0.1, 4});
  EXPECT_EQ(faultOf(problem), "op1 takes a tensor of late, which comes after "
                              "it; producers must precede consumers");
}

TEST(Question, HasNoCyclesOfWhichTheShortestIsNamed) {
  PartitionProblem problem = chain(2, 6);
  problem.addTensor({5, {0}, 0.1, 4}); // Six ops.
  problem.addTensor({4, {2}, 0.1, 4}); // Three.
  const std::optional<PartitionConflict> conflict = problem.check();
  ASSERT_TRUE(conflict.has_value());
  EXPECT_EQ(conflict->message,
            "ops wait for each other: op2 -> op3 -> op4 -> op2");
  EXPECT_EQ(conflict->items, (std::vector<uint32_t>{2, 3, 4}));
  problem.addTensor({1, {1}, 0.1, 4});
  EXPECT_EQ(faultOf(problem), "ops wait for each other: op1 -> op1");
}

TEST(Question, HasPinsThatAreAllowed) {
  PartitionProblem problem = chain(3, 2);
  problem.addItem({"host", 1, 0, 0, 0, {}, {0, 2}});
  problem.pin(2, 1);
  EXPECT_EQ(faultOf(problem),
            "host is pinned to partition 1, but it can be on 0, 2 only");
  PartitionProblem tied = chain(3, 2);
  tied.addItem({"host", 1, 0, 0, 0, {}, {2}});
  tied.colocate(0, 2, "w");
  tied.pin(0, 1);
  EXPECT_EQ(faultOf(tied), "op0 is pinned to partition 1, but host, which must "
                           "be with it, can be on 2 only");
}

TEST(Question, HasOnePinPerItem) {
  PartitionProblem problem = chain(2, 3);
  problem.colocate(0, 1, "w");
  problem.pin(0, 0);
  problem.pin(1, 1);
  problem.pin(1, 0);
  // The pair of op0 and op1 is a conflict too, but not the smallest.
  const PartitionResult result = solvePartition(problem);
  ASSERT_TRUE(std::holds_alternative<PartitionConflict>(result));
  EXPECT_EQ(std::get<PartitionConflict>(result).message,
            "op1 is pinned to partition 1 and to partition 0");
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

TEST(QuestionConflicts, NameTheFewestPinsThatGoRound) {
  PartitionProblem problem = chain(2, 6);
  problem.requireContiguous();
  for (uint32_t i : {0u, 1u, 4u, 5u})
    problem.pin(i, i < 2 || i == 5 ? 0 : 1);
  const PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.items.size(), 3u);
  EXPECT_EQ(conflict.message, "no placement keeps one stage per partition and "
                              "these pins: op0 on 0, op4 on 1, op5 on 0");
}

TEST(QuestionConflicts, NameThePartitionThatIsTooSmall) {
  PartitionProblem problem = chain(3, 4);
  problem.setMemoryLimit(1, 15);
  problem.pin(0, 1);
  problem.pin(2, 1);
  EXPECT_EQ(conflictOf(problem).message,
            "no placement keeps the memory limit of 15 bytes of partition 1 "
            "and these pins: op0 on 1, op2 on 1");
}

TEST(QuestionConflicts, NameAllowedSetsThatAreApart) {
  PartitionProblem problem(3);
  problem.addItem({"any", 1, 0, 0, 0, {}, {0, 1}});
  problem.addItem({"left", 1, 0, 0, 0, {}, {0}});
  problem.addItem({"right", 1, 0, 0, 0, {}, {1, 2}});
  problem.colocate(0, 1, "w");
  problem.colocate(1, 2, "w");
  const PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.message,
            "no placement keeps together what shares variables with left on 0 "
            "only, right on 1 or 2 only");
  EXPECT_EQ(conflict.items, (std::vector<uint32_t>{1, 2}));
}

TEST(QuestionConflicts, NameAllowedSetsThatDoNotFit) {
  PartitionProblem problem = chain(2, 3);
  problem.setMemoryLimit(1, 15);
  for (int i = 0; i < 3; ++i)
    problem.addItem({"host" + std::to_string(i), 1, 10, 0, 0, {}, {1}});
  const PartitionConflict conflict = conflictOf(problem);
  EXPECT_EQ(conflict.items.size(), 2u);
  EXPECT_EQ(conflict.message, "no placement keeps the memory limits with host0 "
                              "on 1 only, host1 on 1 only");
}

/// There are more sets of 40 pins than are tried.
TEST(QuestionConflicts, SayWhereTheSearchHasEnded) {
  PartitionProblem problem = chain(2, 80);
  problem.setMemoryLimit(0, 135);
  for (uint32_t i = 0; i < 40; ++i)
    problem.pin(i, i % 2);
  const PartitionResult result = solvePartition(problem);
  const auto *conflict = std::get_if<PartitionConflict>(&result);
  ASSERT_NE(conflict, nullptr);
  EXPECT_EQ(conflict->items.size(), 14u); // Which is the smallest.
  EXPECT_FALSE(conflict->isSmallest);
  EXPECT_NE(
      conflict->message.find(" (the search for a smaller set has ended early)"),
      std::string::npos)
      << conflict->message;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

TEST(Kinds, GiveEachPartitionWhatItIsFastAt) {
  PartitionProblem problem(2);
  problem.setKind(1, 1);
  problem.addItem({"products", 0, 0, 0, 0, {1, 10}});
  problem.addItem({"sorting", 0, 0, 0, 0, {10, 1}});
  problem.addTensor({0, {1}, 0.5, 4});
  const PartitionAnswer answer = solve(problem);
  EXPECT_EQ(answer.partitionOf, (std::vector<uint32_t>{0, 1}));
  EXPECT_DOUBLE_EQ(answer.objective, 1.5);
  EXPECT_DOUBLE_EQ(answer.bound, 1.5);
}

TEST(Kinds, KeepItemsWhereTheyMayBe) {
  PartitionProblem problem = chain(3, 6);
  problem.addItem({"host", 1, 0, 0, 0, {}, {2}});
  EXPECT_EQ(solve(problem).partitionOf[6], 2u);
}

TEST(Kinds, SendOverTheBetterLink) {
  // Three of two; partition 1 is far from the others.
  PartitionProblem problem(3);
  for (uint32_t p : {0u, 2u}) {
    problem.setLink(p, 1, 1);
    problem.setLink(1, p, 1);
  }
  for (const char *name : {"a", "b"})
    problem.addItem({name, 2, 0, 0});
  problem.addTensor({0, {1}, 0, 4, {{0.1, 0.2, 0}, {5, 5, 0}}});
  const PartitionAnswer answer = solve(problem);
  EXPECT_DOUBLE_EQ(answer.objective, 2.2);
  for (uint32_t p : answer.partitionOf)
    EXPECT_NE(p, 1u);
}

TEST(Kinds, SendersPayOnceForTheLongest) {
  PartitionProblem problem(3);
  problem.setLink(0, 2, 1);
  for (uint32_t p = 0; p < 3; ++p) {
    problem.addItem({"op" + std::to_string(p), 1, 0, 0});
    problem.pin(p, p);
  }
  problem.addTensor({0, {1, 2}, 0, 8, {{0.5, 0.25, 0}, {0.75, 0.125, 0}}});
  const std::vector<PartitionLoad> loads = problem.loads({0, 1, 2});
  EXPECT_DOUBLE_EQ(loads[0].transferSeconds, 0.75);
  EXPECT_DOUBLE_EQ(loads[1].transferSeconds, 0.25);
  EXPECT_DOUBLE_EQ(loads[2].transferSeconds, 0.125);
  EXPECT_EQ(loads[0].cutBytes, 8);
  EXPECT_DOUBLE_EQ(solve(problem).objective, 1.75);
}

//===----------------------------------------------------------------------===//
// Latency
//===----------------------------------------------------------------------===//

/// Two branches of one second between two ops that take none.
PartitionProblem branches() {
  PartitionProblem problem(2);
  problem.addItem({"split", 0, 0, 0});
  problem.addItem({"left", 1, 0, 0});
  problem.addItem({"right", 1, 0, 0});
  problem.addItem({"join", 0, 0, 0});
  problem.setObjective(Objective::Latency);
  return problem;
}

TEST(Latency, UsesBranches) {
  PartitionProblem problem = branches();
  problem.addTensor({0, {1, 2}, 0.1, 4});
  problem.addTensor({1, {3}, 0.1, 4});
  problem.addTensor({2, {3}, 0.1, 4});
  const PartitionAnswer answer = solve(problem);
  // Sent 0..0.1, left until 1.1, sent until 1.2; received 0.1..0.2, right until
  // 1.2, received until 1.3.
  EXPECT_NEAR(answer.objective, 1.3, 1e-12);
  EXPECT_NEAR(answer.bound, 1.3, 1e-12);
}

TEST(Latency, StaysWhereSendingTakesLonger) {
  PartitionProblem problem = branches();
  problem.addTensor({0, {1, 2}, 0, 4, {{0.1, 0.1, 1}}});
  problem.addTensor({1, {3}, 0, 4, {{0.1, 0.1, 1}}});
  problem.addTensor({2, {3}, 0, 4, {{0.1, 0.1, 1}}});
  const PartitionAnswer answer = solve(problem);
  EXPECT_DOUBLE_EQ(answer.objective, 2);
  EXPECT_EQ(answer.partitionOf[1], answer.partitionOf[2]);
}

TEST(Latency, OfALongChainIsItsPath) {
  PartitionProblem problem = chain(3, 300);
  problem.setObjective(Objective::Latency);
  const PartitionAnswer answer = solve(problem);
  EXPECT_NEAR(answer.objective, 300, 1e-9);
  EXPECT_EQ(answer.certificate.kind, Certificate::Kind::Path);
  EXPECT_NEAR(answer.bound, 300, 1e-9);
}

} // namespace
