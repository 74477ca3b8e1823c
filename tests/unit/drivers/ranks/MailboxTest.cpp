// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include <cstring>
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

/// As of a rank that is far ahead: with each message looked for among all, or
/// all moved for each, this would take hours.
TEST(Mailbox, ABacklogTakesTimeByItsLength) {
  constexpr uint32_t kMessages = 1000000;
  Mailbox box(0, 2);
  auto deliver = [&](MessageTag tag) {
    MessageBytes bytes(sizeof(tag.epoch));
    std::memcpy(bytes.data(), &tag.epoch, bytes.size());
    box.deliver(1, tag, std::move(bytes));
  };
  auto receive = [&](MessageTag tag) {
    uint64_t value = 0;
    const Status status =
        box.receive(1, tag, std::as_writable_bytes(std::span(&value, 1)), {});
    EXPECT_TRUE(status.ok()) << status.message();
    return value;
  };
  for (uint64_t epoch = 1; epoch <= kMessages; ++epoch)
    deliver({epoch, 7, 0});
  for (uint64_t epoch = 1; epoch <= kMessages; ++epoch) {
    box.beginEpoch(epoch);
    ASSERT_EQ(receive({epoch, 7, 0}), epoch);
  }
  // The last one first, and then nobody for the rest.
  for (uint32_t i = 0; i < kMessages; ++i)
    deliver({kMessages, 7, i});
  for (uint32_t i = kMessages - 1; i > kMessages / 2; --i)
    ASSERT_EQ(receive({kMessages, 7, i}), kMessages);
  box.beginEpoch(kMessages + 1);
  EXPECT_EQ(box.waitingBytes(1), 0u);
}

TEST(Mailbox, FailuresOfManyEpochsTakeTimeByTheirNumber) {
  constexpr uint64_t kEpochs = 1000000;
  Mailbox box(0, 2);
  for (uint64_t epoch = 1; epoch <= kEpochs; ++epoch)
    EXPECT_TRUE(box.fail(1, epoch, unavailable("first")));
  EXPECT_FALSE(box.fail(1, kEpochs, unavailable("second")));
  for (uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    box.beginEpoch(epoch);
    ASSERT_TRUE(box.hasFailed(epoch));
  }
  EXPECT_EQ(box.receive(1, {kEpochs, 7, 0}, {}, {}).message(), "first");
  box.beginEpoch(kEpochs + 1);
  EXPECT_FALSE(box.hasFailed(kEpochs + 1));
  EXPECT_EQ(box.waitingBytes(1), 0u);
}

/// A length that nobody planned is bounded, and not believed either.
TEST(Mailbox, OnlyAPlannedMessageHasAllItsMemoryAtOnce) {
  constexpr uint64_t kPlanned = 1 << 20;
  Mailbox box(0, 2);
  box.planMessages(5, std::vector<MessageSize>{{1, 7, kPlanned}});
  EXPECT_EQ(box.accept(1, {5, 7, 0}, kPlanned)->size(), kPlanned);
  EXPECT_EQ(box.accept(1, {5, 8, 0}, 1000)->size(), 1000u);
  for (MessageTag tag : {MessageTag{5, 8, 0}, MessageTag{4, 7, 0}})
    EXPECT_LE(box.accept(1, tag, kMostUnplannedBytes)->capacity(), 1u << 16);
}

/// A small message in the memory of a large one would keep all of that.
TEST(Mailbox, MemoryIsUsedAgainForMessagesOfItsSize) {
  constexpr uint64_t kLarge = 1 << 20;
  Mailbox box(0, 2);
  box.planMessages(5, std::vector<MessageSize>{{1, 7, kLarge}, {1, 8, 4}});
  std::vector<std::byte> large(kLarge);
  MessageBytes first = *box.accept(1, {5, 7, 0}, kLarge);
  const std::byte *memory = first.data();
  box.deliver(1, {5, 7, 0}, std::move(first));
  ASSERT_TRUE(box.receive(1, {5, 7, 0}, large, {}).ok());
  EXPECT_LT(box.accept(1, {5, 8, 0}, 4)->capacity(), 100u);
  EXPECT_EQ(box.accept(1, {5, 9, 0}, 0)->capacity(), 0u);
  EXPECT_EQ(box.accept(1, {5, 7, 1}, kLarge)->data(), memory);
}

TEST(Mailbox, MessagesOfOneTagKeepTheirOrder) {
  Mailbox box(0, 2);
  for (size_t bytes : {3u, 1u, 2u})
    box.deliver(1, {5, 7, 0}, MessageBytes(bytes));
  for (size_t bytes : {3u, 1u, 2u})
    EXPECT_EQ(box.receiveAny(1, {5, 7, 0}, {})->size(), bytes);
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
