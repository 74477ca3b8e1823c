// SPDX-License-Identifier: Apache-2.0
// Which placements are tried under a memory limit, and which is taken.

#include "smp/passes/planning/LimitSearch.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp::passes;

namespace {

TEST(LimitSearch, TakesTheFirstThatFitsAsItIs) {
  unsigned calls = 0;
  const PlacementTrial found =
      searchWithinLimit(true, [&](const PlacementTrial &) {
        ++calls;
        return TrialOutcome{1, true};
      });
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(found.stashShare, 0);
  EXPECT_EQ(found.margin, 1);
}

TEST(LimitSearch, TakesTheFastestThatFits) {
  // What counts half of the stash is fastest.
  const PlacementTrial found =
      searchWithinLimit(true, [&](const PlacementTrial &trial) {
        EXPECT_EQ(trial.margin, 1);
        return TrialOutcome{1 + std::abs(trial.stashShare - 0.5) +
                                trial.contiguousWorth.value_or(1) / 100,
                            false};
      });
  EXPECT_EQ(found.stashShare, 0.5);
  EXPECT_EQ(found.contiguousWorth, std::nullopt);
}

TEST(LimitSearch, StaysFurtherBelowTheLimitWhereNothingFits) {
  const PlacementTrial found =
      searchWithinLimit(true, [&](const PlacementTrial &trial) {
        return trial.margin < 1 ? TrialOutcome{trial.margin, false}
                                : TrialOutcome();
      });
  EXPECT_EQ(found.margin, 0.9);
}

TEST(LimitSearch, GivesTheFirstWhereNothingEverFits) {
  for (bool contiguous : {true, false}) {
    unsigned calls = 0;
    const PlacementTrial found =
        searchWithinLimit(contiguous, [&](const PlacementTrial &) {
          ++calls;
          return TrialOutcome();
        });
    EXPECT_EQ(calls, contiguous ? 30u : 45u);
    EXPECT_EQ(found.contiguous, contiguous);
    EXPECT_EQ(found.stashShare, 0);
  }
}

TEST(LimitSearch, IsNoWorseWithoutAPreference) {
  auto run = [](const PlacementTrial &trial) {
    return TrialOutcome{trial.contiguous ? 2.0 : 3.0, false};
  };
  EXPECT_TRUE(searchWithinLimit(true, run).contiguous);
  EXPECT_TRUE(searchWithinLimit(false, run).contiguous);
}

} // namespace
