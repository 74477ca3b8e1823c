// SPDX-License-Identifier: Apache-2.0
#include "MessagePlan.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

using Way = MessagePlan::Way;

TEST(MessagePlan, SizesHoldFromTheirEpochOn) {
  MessagePlan plan(0);
  EXPECT_TRUE(plan.check(1, {5, 7, 0}, kMostUnplannedBytes, Way::Sent).ok());
  plan.add(5, {{1, 7, 64}, {2, 7, 0}, {1, 8, 0}});
  EXPECT_TRUE(plan.check(1, {5, 7, 0}, 64, Way::Received).ok());
  EXPECT_TRUE(plan.check(1, {9, 7, 3}, 64, Way::Received).ok());
  EXPECT_TRUE(plan.check(2, {5, 7, 0}, 0, Way::Received).ok());
  EXPECT_EQ(plan.check(2, {5, 7, 0}, 64, Way::Received).message(),
            "sent 64 bytes where rank 0 expects 0");
  EXPECT_EQ(plan.check(1, {5, 7, 0}, 63, Way::Sent).message(),
            "rank 0 sent 63 bytes where rank 1 expects 64");
  // Before it, and where nothing is planned, there is a bound.
  EXPECT_TRUE(plan.check(1, {4, 7, 0}, 63, Way::Received).ok());
  EXPECT_TRUE(plan.check(1, {5, 9, 0}, 63, Way::Received).ok());
  EXPECT_EQ(plan.check(1, {5, 9, 0}, kMostUnplannedBytes + 1, Way::Received)
                .message(),
            "sent 16777217 bytes where rank 0 expects at most 16777216");
}

TEST(MessagePlan, WhatWasPlannedBeforeStaysForItsEpochs) {
  MessagePlan plan(0);
  plan.add(5, {{1, 7, 64}});
  plan.add(9, {{1, 7, 32}});
  EXPECT_TRUE(plan.check(1, {8, 7, 0}, 64, Way::Received).ok());
  EXPECT_FALSE(plan.check(1, {8, 7, 0}, 32, Way::Received).ok());
  EXPECT_TRUE(plan.check(1, {9, 7, 0}, 32, Way::Received).ok());
  EXPECT_FALSE(plan.check(1, {9, 7, 0}, 64, Way::Received).ok());
  plan.add(12, {});
  EXPECT_FALSE(
      plan.check(1, {8, 7, 0}, kMostUnplannedBytes + 1, Way::Received).ok());
  EXPECT_TRUE(plan.check(1, {12, 7, 0}, 64, Way::Received).ok());
}

} // namespace
