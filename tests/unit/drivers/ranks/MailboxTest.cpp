// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// Also messages without a byte take memory: a rank that sends them without end
/// is not read from any more.
TEST(Mailbox, WhatWaitsIsCountedUntilItIsGone) {
  Mailbox box(0, 2);
  EXPECT_EQ(box.waitingBytes(1), 0u);
  box.deliver(1, {5, 1, 0}, {});
  const uint64_t empty = box.waitingBytes(1);
  EXPECT_GE(empty, sizeof(MessageTag) + sizeof(MessageBytes));
  box.deliver(1, {5, 1, 0}, MessageBytes(1000));
  EXPECT_EQ(box.waitingBytes(1), 2 * empty + 1000);
  EXPECT_EQ(box.waitingBytes(0), 0u);
  EXPECT_TRUE(box.receive(1, {5, 1, 0}, {}, {}).ok());
  EXPECT_EQ(box.waitingBytes(1), empty + 1000);
  EXPECT_TRUE(box.fail(1, 7, unavailable(std::string(500, 'x'))));
  EXPECT_EQ(box.waitingBytes(1), 2 * empty + 1500);
  box.beginEpoch(6);
  EXPECT_EQ(box.waitingBytes(1), empty + 500);
  box.deliver(1, {5, 1, 0}, MessageBytes(1000)); // Of an epoch that is over.
  box.beginEpoch(8);
  EXPECT_EQ(box.waitingBytes(1), 0u);
}

TEST(Mailbox, WhoLeftWantsNothingOfEpochsThatItHadBegun) {
  Mailbox box(0, 2);
  box.deliver(1, {3, 1, 0}, {});
  box.leave(1, 3);
  EXPECT_FALSE(*box.wants(1, 2));
  EXPECT_FALSE(*box.wants(1, 3));
  EXPECT_EQ(box.wants(1, 4).status().message(),
            "rank 1 has closed its communicator");
  EXPECT_FALSE(box.isReachable(1));
  // What it sent before is there.
  EXPECT_TRUE(box.receive(1, {3, 1, 0}, {}, {}).ok());
  EXPECT_EQ(box.receive(1, {3, 1, 0}, {}, {}).message(),
            "rank 1 has closed its communicator");
  // That its connection ends then is no loss.
  box.lose(1, unavailable("broken"));
  EXPECT_FALSE(*box.wants(1, 3));
}

TEST(Mailbox, WhetherAPeerHadLeftIsSeenAfterTheBreak) {
  const Status broken = unavailable("broken");
  Mailbox box(0, 4);
  box.leave(1, 3);
  EXPECT_FALSE(*box.wantsAfterBreak(1, 3, broken, {}));
  box.lose(2, dataLoss("lost"));
  EXPECT_EQ(box.wantsAfterBreak(2, 3, broken, {}).status().message(), "lost");
  // Nobody says what became of it.
  EXPECT_EQ(
      box.wantsAfterBreak(3, 3, broken, deadlineAfter(0.01)).status().message(),
      "broken");
}

} // namespace
