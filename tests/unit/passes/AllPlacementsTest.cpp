// SPDX-License-Identifier: Apache-2.0
// Random partition problems: answers, bounds and conflicts against all
// placements.

#include "SeededTest.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace smp::passes;

namespace {

/// Calls `visit` with every placement of the problem's items.
void forAllPlacements(
    const PartitionProblem &problem,
    const std::function<void(const std::vector<uint32_t> &)> &visit) {
  std::vector<uint32_t> partitionOf(problem.getItems().size());
  for (;;) {
    visit(partitionOf);
    size_t i = 0;
    while (i < partitionOf.size() &&
           ++partitionOf[i] == problem.getNumPartitions())
      partitionOf[i++] = 0;
    if (i == partitionOf.size())
      return;
  }
}

bool isSound(const PartitionProblem &problem,
             const std::vector<uint32_t> &partitionOf,
             const std::vector<PartitionProblem::Pin> &pins) {
  for (const auto &tie : problem.getTies())
    if (partitionOf[tie.a] != partitionOf[tie.b])
      return false;
  for (const auto &pin : pins)
    if (partitionOf[pin.item] != pin.partition)
      return false;
  const std::vector<PartitionLoad> loads = problem.loads(partitionOf);
  for (uint32_t p = 0; p < loads.size(); ++p)
    if (problem.getMemoryLimit(p) && loads[p].items &&
        loads[p].bytes() > *problem.getMemoryLimit(p))
      return false;
  return true;
}

/// The least objective under the pins; nothing when no placement is sound.
std::optional<double> bestOf(const PartitionProblem &problem,
                             const std::vector<PartitionProblem::Pin> &pins) {
  std::optional<double> best;
  forAllPlacements(problem, [&](const std::vector<uint32_t> &partitionOf) {
    if (isSound(problem, partitionOf, pins))
      best = std::min(best.value_or(1e300), problem.objective(partitionOf));
  });
  return best;
}

/// Of `items` items.
PartitionProblem randomProblem(std::mt19937 &random, uint32_t items) {
  auto pick = [&](uint32_t below) { return uint32_t(random() % below); };
  PartitionProblem problem(1 + pick(3));
  for (uint32_t i = 0; i < items; ++i)
    problem.addItem({"op" + std::to_string(i), double(pick(20)),
                     int64_t(pick(10)), int64_t(pick(4))});
  for (uint32_t i = 0; i + 1 < items; ++i) {
    std::vector<uint32_t> consumers;
    for (uint32_t j = i + 1; j < std::min(items, i + 8); ++j)
      if (pick(3) == 0)
        consumers.push_back(j);
    if (!consumers.empty())
      problem.addTensor({i, consumers, double(pick(6)), 4});
  }
  for (uint32_t i = 0; i < pick(3); ++i)
    problem.colocate(pick(items), pick(items), "v" + std::to_string(i));
  for (uint32_t i = 0; i < pick(4); ++i)
    problem.pin(pick(items), pick(problem.getNumPartitions()));
  if (pick(2))
    problem.setMemoryLimit(5 + pick(5 * items));
  if (pick(4) == 0)
    problem.setMemoryWeight(0.25 * pick(5));
  return problem;
}

/// The size of the smallest set of pins that already excludes everything.
size_t smallestConflict(const PartitionProblem &problem) {
  const auto &pins = problem.getPins();
  size_t smallest = pins.size();
  for (uint32_t mask = 0; mask < (1u << pins.size()); ++mask) {
    std::vector<PartitionProblem::Pin> some;
    for (size_t i = 0; i < pins.size(); ++i)
      if (mask >> i & 1)
        some.push_back(pins[i]);
    if (some.size() < smallest && !bestOf(problem, some))
      smallest = some.size();
  }
  return smallest;
}

/// That the pins on the items of the conflict exclude every placement.
void expectProved(const PartitionProblem &problem,
                  const PartitionConflict &conflict) {
  std::vector<PartitionProblem::Pin> named;
  for (const auto &pin : problem.getPins())
    if (std::count(conflict.items.begin(), conflict.items.end(), pin.item))
      named.push_back(pin);
  EXPECT_EQ(bestOf(problem, named), std::nullopt) << conflict.message;
}

void expectSmallest(const PartitionProblem &problem,
                    const PartitionConflict &conflict) {
  if (problem
          .check()) { // Two pins of what stays together; the limit has no say.
    EXPECT_LE(conflict.items.size(), 2u) << conflict.message;
    return;
  }
  size_t smallest = smallestConflict(problem);
  if (smallest == 0) // The limit alone; it may name what is too large.
    EXPECT_LE(conflict.items.size(), 1u) << conflict.message;
  else
    EXPECT_EQ(conflict.items.size(), smallest) << conflict.message;
}

/// More items than are searched exhaustively, of nothing: the answers are those
/// without them.
void pad(PartitionProblem &problem) {
  for (uint32_t i = 0; i < 50; ++i)
    problem.addItem({"nothing", 0, 0, 0});
}

/// The least objective; nothing when no placement is sound.
std::optional<double> bestOf(const PartitionProblem &problem) {
  return bestOf(problem, problem.getPins());
}

void expectAtMost(double value, double most) {
  EXPECT_LE(value, most + 1e-9 * std::abs(most));
}

class AllPlacements : public smp::SeededTest {
protected:
  PartitionProblem next() { return randomProblem(random, 1 + random() % 7); }
};

TEST_F(AllPlacements, HaveNoneBetterThanTheAnswer) {
  unsigned feasible = 0, infeasible = 0;
  for (unsigned round = 0; round < 400 && !HasFailure(); ++round) {
    PartitionProblem problem = next();
    PartitionResult result = solvePartition(problem);
    std::optional<double> best = bestOf(problem);
    if (auto *conflict = std::get_if<PartitionConflict>(&result)) {
      ++infeasible;
      EXPECT_TRUE(conflict->isProved);
      ASSERT_EQ(best, std::nullopt) << conflict->message;
      EXPECT_FALSE(lowestObjective(problem).has_value());
      expectProved(problem, *conflict);
      expectSmallest(problem, *conflict);
      continue;
    }
    ++feasible;
    const auto &answer = std::get<PartitionAnswer>(result);
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(problem.verify(answer), std::nullopt);
    EXPECT_NEAR(answer.objective, *best, 1e-9 * *best);
    EXPECT_NEAR(answer.bound, *best, 1e-9 * *best);
    EXPECT_NEAR(lowestObjective(problem)->bound, *best, 1e-9 * *best);
  }
  EXPECT_GT(feasible, 50u);
  EXPECT_GT(infeasible, 5u);
}

TEST_F(AllPlacements, AreNotBelowTheBoundOfAContiguousAnswer) {
  for (unsigned round = 0; round < 300 && !HasFailure(); ++round) {
    PartitionProblem problem = next();
    problem.preferContiguous(1 + 0.5 * (random() % 3));
    std::optional<double> best = bestOf(problem);
    PartitionResult result = solvePartition(problem);
    auto *answer = std::get_if<PartitionAnswer>(&result);
    ASSERT_EQ(answer != nullptr, best.has_value());
    if (!answer)
      continue;
    EXPECT_EQ(problem.verify(*answer), std::nullopt);
    expectAtMost(answer->bound, *best);
    expectAtMost(answer->objective, *best * problem.getContiguousWorth());
  }
}

TEST_F(AllPlacements, AreNotBelowTheBoundOfWhatIsNotSearched) {
  for (unsigned round = 0; round < 300 && !HasFailure(); ++round) {
    PartitionProblem problem = next();
    std::optional<double> best = bestOf(problem);
    pad(problem);
    std::optional<ProvedBound> bound = lowestObjective(problem);
    EXPECT_FALSE(bound && !best);
    if (bound && best)
      expectAtMost(bound->bound, *best);
    PartitionResult result = solvePartition(problem);
    if (auto *conflict = std::get_if<PartitionConflict>(&result)) {
      EXPECT_FALSE(best && conflict->isProved) << conflict->message;
      continue;
    }
    ASSERT_TRUE(best.has_value());
    const auto &answer = std::get<PartitionAnswer>(result);
    EXPECT_EQ(problem.verify(answer), std::nullopt);
    expectAtMost(answer.bound, *best);
    expectAtMost(*best, answer.objective);
  }
}

/// One stage each is one of the ways to place a graph.
TEST_F(AllPlacements, AreNoWorseThanContiguousOnes) {
  constexpr double kAtAnyPrice = 1e9;
  for (unsigned round = 0; round < 150 && !HasFailure(); ++round) {
    PartitionProblem problem = randomProblem(random, 1 + random() % 120);
    PartitionResult any = solvePartition(problem);
    for (double worth : {PartitionProblem::kForwardWorth,
                         PartitionProblem::kTrainedWorth, kAtAnyPrice}) {
      PartitionProblem preferring = problem;
      preferring.preferContiguous(worth);
      PartitionResult contiguous = solvePartition(preferring);
      ASSERT_EQ(any.index(), contiguous.index());
      if (auto *answer = std::get_if<PartitionAnswer>(&contiguous)) {
        EXPECT_EQ(preferring.verify(*answer), std::nullopt);
        expectAtMost(std::get<PartitionAnswer>(any).objective,
                     answer->objective);
        expectAtMost(std::get<PartitionAnswer>(any).bound, answer->objective);
      }
    }
  }
}

TEST_F(AllPlacements, AreMeasuredNoWorseThanContiguousOnes) {
  for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
    PartitionProblem problem = randomProblem(random, 1 + random() % 40);
    std::vector<double> prices;
    for (size_t i = 0; i < problem.getItems().size(); ++i)
      prices.push_back(double(random() % 20));
    const Measure measure = [&](const std::vector<uint32_t> &partitionOf) {
      return std::inner_product(prices.begin(), prices.end(),
                                partitionOf.begin(), 1.0);
    };
    PartitionResult any = solvePartition(problem, {.measure = measure});
    problem.preferContiguous(1 + 0.5 * (random() % 3));
    PartitionResult contiguous = solvePartition(problem, {.measure = measure});
    ASSERT_EQ(any.index(), contiguous.index());
    if (auto *answer = std::get_if<PartitionAnswer>(&any)) {
      EXPECT_EQ(problem.verify(*answer), std::nullopt);
      expectAtMost(measure(answer->partitionOf),
                   measure(std::get<PartitionAnswer>(contiguous).partitionOf));
    }
  }
}

} // namespace
