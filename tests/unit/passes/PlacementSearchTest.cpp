// SPDX-License-Identifier: Apache-2.0
// The search among placements, with judges whose figures are drawn.

#include "smp/passes/planning/PlacementSearch.h"
#include "SeededTest.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace smp::passes;

namespace {

using Partitions = std::vector<uint32_t>;

constexpr int64_t kLimit = 1000;

/// Of ties and pins, on two or three partitions.
PartitionProblem randomProblem(std::mt19937 &random, uint32_t items) {
  PartitionProblem problem(2 + random() % 2);
  for (uint32_t i = 0; i < items; ++i)
    problem.addItem({"op" + std::to_string(i)});
  for (uint32_t i = random() % 3; i > 0; --i)
    problem.colocate(random() % items, random() % items, "v");
  if (random() % 2)
    problem.pin(random() % items, random() % problem.getNumPartitions());
  return problem;
}

/// What is drawn of a placement: the same for the same one.
PlanFigures figuresOf(const PartitionProblem &problem, const Partitions &of) {
  std::seed_seq sequence(of.begin(), of.end());
  std::mt19937 random(sequence);
  PlanFigures figures;
  for (uint32_t p = 0; p < problem.getNumPartitions(); ++p)
    figures.partitions.push_back({.arena = 400 + int64_t(random() % 1200),
                                  .computeSeconds = double(random() % 100)});
  return figures;
}

std::vector<Partitions> placementsOf(const PartitionProblem &problem) {
  std::vector<Partitions> all;
  Partitions of(problem.getItems().size());
  for (;;) {
    if (!problem.verifyPlacement(of))
      all.push_back(of);
    size_t i = 0;
    while (i < of.size() && ++of[i] == problem.getNumPartitions())
      of[i++] = 0;
    if (i == of.size())
      return all;
  }
}

class PlacementSearch : public smp::SeededTest {};

TEST_F(PlacementSearch, FindsTheFastestOfFew) {
  unsigned fitting = 0, over = 0;
  for (unsigned round = 0; round < 200 && !HasFailure(); ++round) {
    const PartitionProblem problem = randomProblem(random, 1 + random() % 5);
    const std::vector<Partitions> all = placementsOf(problem);
    double fastest = 1e300;
    int64_t least = INT64_MAX;
    for (const Partitions &of : all) {
      const PlanFigures figures = figuresOf(problem, of);
      least = std::min(least, figures.mostBytes());
      if (figures.mostBytes() <= kLimit)
        fastest = std::min(fastest, figures.bottleneck());
    }
    std::set<Partitions> asked;
    const PlacementFound found =
        searchPlacements(problem, kLimit, {},
                         {[&](const Partitions &of) {
                            EXPECT_TRUE(asked.insert(of).second);
                            return std::optional(figuresOf(problem, of));
                          },
                          {}},
                         {.evaluations = 1000});
    EXPECT_TRUE(found.isAll);
    EXPECT_EQ(found.evaluations, all.size());
    EXPECT_EQ(asked, std::set<Partitions>(all.begin(), all.end()));
    const PlanFigures figures = figuresOf(problem, found.partitionOf);
    EXPECT_EQ(found.mostBytes, figures.mostBytes());
    ASSERT_EQ(found.fits, least <= kLimit);
    if (found.fits)
      EXPECT_EQ(figures.bottleneck(), fastest);
    else
      EXPECT_EQ(found.mostBytes, least);
    ++(found.fits ? fitting : over);
  }
  EXPECT_GT(fitting, 50u);
  EXPECT_GT(over, 10u);
}

/// Items of drawn sizes, which only fit in equal parts: nothing is evaluated
/// twice, and never more than may be.
TEST_F(PlacementSearch, ImprovesWhatIsNotAll) {
  unsigned fitting = 0;
  for (unsigned round = 0; round < 50 && !HasFailure(); ++round) {
    const uint32_t items = 20 + random() % 60;
    PartitionProblem problem = randomProblem(random, items);
    const uint32_t partitions = problem.getNumPartitions();
    std::vector<int64_t> sizes;
    int64_t sum = 0;
    for (uint32_t i = 0; i < items; ++i)
      sum += sizes.emplace_back(1 + random() % 100);
    auto evaluate = [&](const Partitions &of) {
      PlanFigures figures;
      figures.partitions.resize(partitions);
      for (uint32_t i = 0; i < items; ++i)
        figures.partitions[of[i]].arena += sizes[i];
      return std::optional(figures);
    };
    Partitions start(items);
    for (const PartitionProblem::Pin &pin : problem.getPins())
      start.assign(items, pin.partition);
    const int64_t limit = sum / partitions + sum / 10;
    uint64_t evaluations = 0;
    const PlacementFound found = searchPlacements(
        problem, limit, {start},
        {[&](const Partitions &of) {
           ++evaluations;
           EXPECT_EQ(problem.verifyPlacement(of), std::nullopt);
           return evaluate(of);
         },
         {}},
        {.evaluations = 4096});
    EXPECT_FALSE(found.isAll);
    EXPECT_EQ(found.evaluations, evaluations);
    EXPECT_LE(evaluations, 4096u);
    EXPECT_EQ(found.mostBytes, evaluate(found.partitionOf)->mostBytes());
    EXPECT_EQ(found.fits, found.mostBytes <= limit);
    fitting += found.fits;
  }
  EXPECT_GE(fitting, 45u);
}

TEST_F(PlacementSearch, ComputesAgainWhatNeedsLeast) {
  const PartitionProblem problem = [] {
    PartitionProblem problem(2);
    for (const char *name : {"a", "b", "c"})
      problem.addItem({name});
    return problem;
  }();
  // Placements need 1000 bytes more than their number as bits.
  auto numberOf = [](const Partitions &of) {
    return int64_t(of[0] + 2 * of[1] + 4 * of[2]);
  };
  for (int64_t able = 0; able <= 8; ++able)
    for (uint64_t most : {4u, 8u}) {
      std::vector<int64_t> asked;
      const PlacementFound found = searchPlacements(
          problem, kLimit, {},
          {[&](const Partitions &of) {
             PlanFigures figures;
             figures.partitions = {{.arena = kLimit + 1 + numberOf(of)}, {}};
             return std::optional(figures);
           },
           [&](const Partitions &of) {
             asked.push_back(numberOf(of));
             return numberOf(of) == able;
           }},
          {.evaluations = 8, .computations = most});
      const auto tried = int64_t(asked.size());
      EXPECT_EQ(tried, std::min<int64_t>(able + 1, int64_t(most)));
      EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
      EXPECT_EQ(found.fits, able < int64_t(most));
      EXPECT_TRUE(found.areAllEvaluated);
      EXPECT_EQ(found.isAll, most == 8);
      EXPECT_EQ(found.computations, asked.size());
      EXPECT_EQ(numberOf(found.partitionOf), found.fits ? able : 0);
    }
}

/// What cannot be divided into stages is evaluated, and never found.
TEST_F(PlacementSearch, LeavesOutWhatHasNoStages) {
  PartitionProblem problem(2);
  problem.addItem({"a"});
  const PlacementFound found = searchPlacements(
      problem, kLimit, {},
      {[](const Partitions &) { return std::optional<PlanFigures>(); }, {}},
      {.evaluations = 8});
  EXPECT_TRUE(found.isAll);
  EXPECT_FALSE(found.fits);
  EXPECT_EQ(found.evaluations, 2u);
  EXPECT_TRUE(found.partitionOf.empty());
}

} // namespace
