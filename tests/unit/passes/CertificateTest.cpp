// SPDX-License-Identifier: Apache-2.0
// Proofs of bounds: that they are found, hold, and are the same everywhere.

#include "PlanningOracle.h"
#include "SeededTest.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace smp::passes;

namespace {

/// Layers of `width` items; each takes tensors of some of those before it.
PartitionProblem layered(std::mt19937 &random, uint32_t items, uint32_t width,
                         uint32_t partitions) {
  auto pick = [&](uint32_t below) { return uint32_t(random() % below); };
  PartitionProblem problem(partitions);
  std::vector<std::vector<uint32_t>> consumers(items);
  for (uint32_t i = 0; i < items; ++i) {
    problem.addItem({"op" + std::to_string(i), 1 + double(pick(40)),
                     int64_t(pick(100)), 0});
    if (i >= width)
      for (uint32_t k = 0; k <= pick(2); ++k)
        consumers[i - i % width - width + pick(width)].push_back(i);
  }
  for (uint32_t i = 0; i < items; ++i)
    if (!consumers[i].empty())
      problem.addTensor({i, consumers[i], 2.0 * pick(20), 4});
  return problem;
}

PartitionAnswer solve(const PartitionProblem &problem,
                      const SolverOptions &options) {
  const PartitionResult result = solvePartition(problem, options);
  if (const auto *conflict = std::get_if<PartitionConflict>(&result)) {
    ADD_FAILURE() << conflict->message;
    return {};
  }
  const auto &answer = std::get<PartitionAnswer>(result);
  EXPECT_EQ(problem.verify(answer), std::nullopt);
  return answer;
}

constexpr Effort kEffort{.orders = 16,
                         .moves = 50'000,
                         .searches = 4,
                         .exactSteps = 0,
                         .boundSteps = 1'000'000};

void runReversed(uint32_t count, const std::function<void(uint32_t)> &job) {
  for (uint32_t i = count; i-- > 0;)
    job(i);
}

void runOnThreads(uint32_t count, const std::function<void(uint32_t)> &job) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] { job(i); });
  for (std::thread &thread : threads)
    thread.join();
}

/// FNV-1a of all that an answer says.
uint64_t digestOf(const PartitionAnswer &answer) {
  uint64_t digest = 0xcbf29ce484222325;
  auto add = [&](uint64_t value) {
    for (int byte = 0; byte < 8; ++byte, value >>= 8)
      digest = (digest ^ (value & 0xff)) * 0x100000001b3;
  };
  for (uint32_t partition : answer.partitionOf)
    add(partition);
  add(uint64_t(answer.certificate.kind));
  add(uint64_t(answer.certificate.excluded));
  add(answer.certificate.steps);
  add(answer.certificate.states);
  add(answer.certificate.labels);
  for (int64_t weight : answer.certificate.weights)
    add(uint64_t(weight));
  for (uint32_t item : answer.certificate.items)
    add(item);
  return digest;
}

TEST(Certificates, OfSetsAreTight) {
  std::mt19937 random(1);
  const PartitionProblem problem = layered(random, 90, 3, 4);
  const PartitionAnswer answer = solve(problem, {.effort = kEffort});
  EXPECT_EQ(answer.certificate.kind, Certificate::Kind::Sets);
  EXPECT_GT(answer.bound, 0.94 * answer.objective);
  // Far more than the work alone says.
  const ProvedBound work = *lowestObjective(problem);
  EXPECT_EQ(work.certificate.kind, Certificate::Kind::Work);
  EXPECT_EQ(problem.verifyBound(work.bound, work.certificate), std::nullopt);
  EXPECT_LT(work.bound, 0.97 * answer.bound);
}

TEST(Certificates, AreRefusedWhenTheyAreSpoiled) {
  std::mt19937 random(1);
  const PartitionProblem problem = layered(random, 90, 3, 4);
  const PartitionAnswer answer = solve(problem, {.effort = kEffort});
  auto isRefused = [&](Certificate certificate, double bound) {
    return problem.verifyBound(bound, certificate).has_value();
  };
  const Certificate &good = answer.certificate;
  EXPECT_FALSE(isRefused(good, answer.bound));
  EXPECT_TRUE(isRefused(good, answer.bound * 1.0001));
  // The objective itself cannot be excluded.
  Certificate bad = good;
  bad.excluded =
      int64_t(double(good.excluded) / answer.bound * answer.objective) + 1;
  EXPECT_TRUE(isRefused(bad, 0));
  for (int64_t excluded : {int64_t(-2), std::numeric_limits<int64_t>::max()}) {
    bad.excluded = excluded;
    EXPECT_TRUE(isRefused(bad, 0));
  }
  bad = good;
  bad.weights.pop_back();
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad = good;
  bad.weights[3] = -1;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad.weights[3] = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad = good;
  for (int64_t &weight : bad.weights)
    weight = 1;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad = good;
  bad.kind = Certificate::Kind::Work;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad.kind = Certificate::Kind::Path;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad.kind = Certificate::Kind::None;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  // What would take too long to check.
  bad = good;
  bad.states = 100'000;
  EXPECT_TRUE(isRefused(bad, answer.bound));
  bad = {.kind = Certificate::Kind::Search, .excluded = 0, .steps = 1u << 30};
  EXPECT_EQ(problem.verifyBound(0, bad),
            "the certificate asks for 1073741824 steps; at most 100000000 are "
            "looked at");
  // An order is no part of the proof: whatever it is, nothing is proved that is
  // not so.
  bad = good;
  bad.items = {7, 7, 100'000};
  EXPECT_FALSE(isRefused(bad, 0));
  EXPECT_TRUE(isRefused(bad, answer.objective * 1.0001));
}

/// Far too many nets are open at a time for all of them to count.
TEST(Certificates, OfWideGraphsStayBelowTheObjective) {
  const uint32_t seed = smp::chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (uint32_t width : {20u, 60u}) {
    const PartitionProblem problem = layered(random, 180, width, 3);
    const PartitionAnswer answer = solve(problem, {.effort = kEffort});
    EXPECT_LE(answer.bound, answer.objective);
    EXPECT_GE(answer.bound, lowestObjective(problem)->bound);
  }
}

/// With pins on few partitions these are told apart, with many they are not.
TEST(Certificates, SeePins) {
  for (uint32_t partitions : {3u, 12u}) {
    std::mt19937 random(partitions);
    PartitionProblem problem = layered(random, 120, 2, partitions);
    const PartitionAnswer free = solve(problem, {.effort = kEffort});
    // What is far apart must be together.
    for (uint32_t p = 0; p < partitions; ++p)
      for (uint32_t i = p; i < 120; i += 40)
        problem.pin(i, p);
    const PartitionAnswer answer = solve(problem, {.effort = kEffort});
    EXPECT_LE(answer.bound, answer.objective);
    if (partitions == 3) {
      EXPECT_GT(answer.bound, 1.01 * free.bound);
    }
  }
}

/// What is proved of all placements holds of those with one stage each; and
/// more orders are cut where there is time.
TEST(Certificates, HoldWhereOneStageEachIsRequired) {
  std::mt19937 random(1);
  PartitionProblem problem = layered(random, 90, 3, 4);
  const PartitionAnswer any = solve(problem, {.effort = kEffort});
  problem.requireContiguous();
  const PartitionAnswer quick = solve(problem, {});
  const PartitionAnswer answer = solve(problem, {.effort = kEffort});
  EXPECT_TRUE(problem.isContiguous(answer.partitionOf));
  EXPECT_LE(answer.objective, quick.objective);
  EXPECT_GE(answer.objective, any.bound);
  EXPECT_EQ(answer.certificate.kind, Certificate::Kind::Sets);
  EXPECT_GT(answer.bound, quick.bound);
}

TEST(Certificates, AreTheSameInWhateverOrderJobsRun) {
  std::mt19937 random(3);
  const PartitionProblem problem = layered(random, 150, 4, 5);
  const uint64_t digest = digestOf(solve(problem, {.effort = kEffort}));
  EXPECT_EQ(digest,
            digestOf(solve(problem, {.effort = kEffort, .jobs = runReversed})));
  EXPECT_EQ(digest, digestOf(solve(problem,
                                   {.effort = kEffort, .jobs = runOnThreads})));
}

/// The digests are those of any build of this version: plans must not depend on
/// how the solver was compiled. They change when the search changes.
TEST(Certificates, AreTheSameInEveryBuild) {
  std::mt19937 random(4);
  const PartitionProblem problem = layered(random, 150, 3, 4);
  EXPECT_EQ(digestOf(solve(problem, {.effort = kEffort})),
            3222880461370037020u);
  EXPECT_EQ(digestOf(solve(problem, {})), 5125244896253188466u);
}

//===----------------------------------------------------------------------===//
// Fourteen items
//===----------------------------------------------------------------------===//

class FourteenItems : public smp::SeededTest {
protected:
  void expectBest(const PartitionProblem &problem) {
    const double best = *leastByHand(problem, rulesOf(problem));
    const PartitionAnswer answer = solve(problem, {});
    EXPECT_NEAR(answer.objective, best, 1e-9 * best);
    EXPECT_NEAR(answer.bound, best, 1e-9 * best);
  }
};

TEST_F(FourteenItems, InAChainAreSolvedOptimally) {
  for (int round = 0; round < 20; ++round)
    expectBest(layered(random, 14, 1, 2));
  PartitionProblem problem = layered(random, 14, 1, 3);
  problem.pin(0, 0); // Partitions are alike: a third of all placements will do.
  expectBest(problem);
}

TEST_F(FourteenItems, InAGraphAreSolvedOptimally) {
  for (int round = 0; round < 20; ++round)
    expectBest(layered(random, 14, 1 + round % 5, 2));
  PartitionProblem problem = layered(random, 14, 3, 3);
  problem.pin(0, 0);
  expectBest(problem);
}

} // namespace
