// SPDX-License-Identifier: Apache-2.0
// Ten thousand small partition problems against all placements: optimal, bounds
// not above that, conflicts smallest, certificates that are spoiled refused.

#include "PlanningOracle.h"
#include "SeededTest.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp::passes;

namespace {

constexpr double kRounding = 1e-9;

bool isAtMost(double value, double most) {
  return value <= most + kRounding * (1 + std::abs(most));
}

class RandomProblems : public smp::SeededTest {
protected:
  /// That the answer is as good as there is one, and says so.
  void expectBest(const PartitionProblem &problem,
                  const PartitionAnswer &answer, double best) {
    EXPECT_EQ(problem.verify(answer), std::nullopt);
    EXPECT_NEAR(answer.objective, valueByHand(problem, answer.partitionOf),
                kRounding * (1 + answer.objective));
    EXPECT_NEAR(answer.bound, best, kRounding * (1 + best));
    if (problem.getContiguity() != Contiguity::Preferred) {
      EXPECT_NEAR(answer.objective, best, kRounding * (1 + best));
      return;
    }
    EXPECT_TRUE(
        isAtMost(answer.objective, best * problem.getContiguousWorth()));
    if (!isAtMost(answer.objective, best))
      EXPECT_TRUE(isContiguousByHand(problem, answer.partitionOf));
  }

  /// That a certificate is refused which excludes the best answer.
  void expectRefused(const PartitionProblem &problem, Certificate certificate,
                     int64_t bestUnits) {
    certificate.excluded = bestUnits;
    EXPECT_NE(problem.verifyBound(0, certificate), std::nullopt);
    for (int64_t &weight : certificate.weights)
      weight = int64_t(random() % 1000);
    EXPECT_NE(problem.verifyBound(0, certificate), std::nullopt);
  }

  void expectExplained(const PartitionProblem &problem,
                       const PartitionConflict &conflict) {
    EXPECT_TRUE(conflict.isProved) << conflict.message;
    EXPECT_TRUE(conflict.isSmallest) << conflict.message;
    const size_t fewest = fewestByHand(problem);
    if (fewest == 0) // Limits alone; they may name what is too large.
      EXPECT_LE(conflict.items.size(), 1u) << conflict.message;
    else
      EXPECT_EQ(conflict.items.size(), fewest) << conflict.message;
    // What is named does exclude everything.
    OracleRules named = rulesOf(problem);
    named.pins.clear();
    if (leastByHand(problem, named)) {
      for (const auto &pin : problem.getPins())
        if (std::count(conflict.items.begin(), conflict.items.end(), pin.item))
          named.pins.push_back(pin);
    } else if (fewest > 0) {
      named.restricted = conflict.items;
    }
    EXPECT_FALSE(leastByHand(problem, named)) << conflict.message;
  }
};

TEST_F(RandomProblems, AreSolvedAsWellAsCanBe) {
  unsigned solved = 0, refused = 0, contiguous = 0, latencies = 0;
  for (unsigned round = 0; round < 10'000 && !HasFailure(); ++round) {
    const PartitionProblem problem = randomQuestion(random, 8);
    const std::optional<double> best = leastByHand(problem, rulesOf(problem));
    const PartitionResult result = solvePartition(problem);
    if (const auto *conflict = std::get_if<PartitionConflict>(&result)) {
      ASSERT_FALSE(best.has_value()) << conflict->message;
      expectExplained(problem, *conflict);
      ++refused;
      continue;
    }
    ASSERT_TRUE(best.has_value());
    const auto &answer = std::get<PartitionAnswer>(result);
    expectBest(problem, answer, *best);
    expectRefused(problem, answer.certificate, answer.certificate.excluded + 1);
    ++solved;
    contiguous += problem.getContiguity() == Contiguity::Required;
    latencies += problem.getObjective() == Objective::Latency;
  }
  EXPECT_GT(solved, 5000u);
  EXPECT_GT(refused, 500u);
  EXPECT_GT(contiguous, 1000u);
  EXPECT_GT(latencies, 500u);
}

/// Of the same problems, without a look at all placements.
TEST_F(RandomProblems, AreNotBelowTheirBounds) {
  const Effort effort{.orders = 4,
                      .moves = 2000,
                      .searches = 2,
                      .exactSteps = 0,
                      .boundSteps = 600'000};
  unsigned solved = 0, best = 0, tight = 0;
  for (unsigned round = 0; round < 3000 && !HasFailure(); ++round) {
    const PartitionProblem problem = randomQuestion(random, 8);
    const PartitionResult exact = solvePartition(problem);
    const PartitionResult result = solvePartition(problem, {.effort = effort});
    const auto *least = std::get_if<PartitionAnswer>(&exact);
    if (const auto *conflict = std::get_if<PartitionConflict>(&result)) {
      EXPECT_FALSE(least && conflict->isProved) << conflict->message;
      continue;
    }
    ASSERT_NE(least, nullptr);
    const auto &answer = std::get<PartitionAnswer>(result);
    EXPECT_EQ(problem.verify(answer), std::nullopt);
    EXPECT_TRUE(isAtMost(answer.bound, least->bound));
    expectRefused(problem, answer.certificate, least->certificate.excluded + 1);
    ++solved;
    best += isAtMost(answer.objective, least->objective);
    tight += answer.bound >= 0.999 * least->bound;
  }
  EXPECT_GT(best, solved * 9 / 10);
  EXPECT_GT(tight, solved * 70 / 100);
}

} // namespace
