// SPDX-License-Identifier: Apache-2.0
// A rank that is let in and then sends what it should not.
#include "Sockets.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

struct HostileRank : testing::Test {
  TemporaryFolder folder;
  SocketOptions options{0, 2, "unix:" + folder.file("s"), 30};
  std::unique_ptr<Communicator> rank0;
  Descriptor rank1;

  void SetUp() override {
    Connected made = unavailable("not yet");
    std::thread hosts([&] { made = connectSockets(options); });
    SocketOptions other = options;
    other.rank = 1;
    rank1 = connectAsRank1(other);
    hosts.join();
    ASSERT_TRUE(made.ok()) << made.status().message();
    rank0 = made.take();
    // Where the others are: nowhere.
    std::array<std::byte, FrameHeader::kBytes> header;
    receiveAll(rank1, header);
    auto table = FrameHeader::decode(header);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->kind, FrameHeader::Kind::Table);
    std::vector<std::byte> text(table->bytes);
    receiveAll(rank1, text);
  }
  void again() {
    rank1.reset();
    rank0.reset();
    SetUp();
  }
  Status receive(MessageTag tag, size_t bytes) {
    std::vector<std::byte> room(bytes);
    return rank0->receive(1, tag, room, deadlineAfter(30));
  }
};

TEST_F(HostileRank, ALengthThatIsNotPlannedEndsItAtOnce) {
  rank0->planMessages(0, std::vector<MessageSize>{{1, 5, 64}});
  // No byte of it has to come.
  sendHeader(rank1, {FrameHeader::Kind::Data, {0, 5, 0}, 40000000000});
  const Status status = receive({0, 5, 0}, 64);
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_EQ(status.message(),
            "rank 1: sent 40000000000 bytes where rank 0 expects 64");
  EXPECT_TRUE(isClosed(rank1));
  EXPECT_EQ(rank0->send(1, {0, 5, 0}, std::vector<std::byte>(64), {}).code(),
            StatusCode::DataLoss);
}

TEST_F(HostileRank, ALengthThatNobodyPlannedIsBounded) {
  sendHeader(rank1, {FrameHeader::Kind::Data, {0, 5, 0}, 40000000000});
  EXPECT_EQ(receive({0, 5, 0}, 64).message(),
            "rank 1: sent 40000000000 bytes where rank 0 expects at most "
            "16777216");
}

TEST_F(HostileRank, OtherFramesAreBoundedToo) {
  const FrameHeader frames[] = {
      {FrameHeader::Kind::Failure, {0, 0, 0}, (1 << 16) + 1},
      {FrameHeader::Kind::Bye, {0, 0, 0}, 1},
      {FrameHeader::Kind::Table, {0, 0, 0}, 0}};
  for (const FrameHeader &frame : frames) {
    sendHeader(rank1, frame);
    EXPECT_EQ(receive({0, 5, 0}, 0).message(),
              "rank 1: sent a frame of kind " +
                  std::to_string(uint32_t(frame.kind)) + " and " +
                  std::to_string(frame.bytes) +
                  " bytes in the middle of a conversation");
    again();
  }
}

TEST_F(HostileRank, WhatIsNoFrameEndsIt) {
  const std::string text(FrameHeader::kBytes, 'x');
  ASSERT_EQ(send(rank1.get(), text.data(), text.size(), 0),
            ssize_t(text.size()));
  EXPECT_EQ(receive({0, 5, 0}, 0).message(),
            "rank 1: sent bytes that are no message");
}

/// Half a frame holds up whoever waits for it, and nobody else.
TEST_F(HostileRank, AFrameThatDoesNotEndIsWaitedForUntilTheDeadline) {
  sendHeader(rank1, {FrameHeader::Kind::Data, {0, 5, 0}, 64});
  std::byte room[64];
  const Status status = rank0->receive(1, {0, 5, 0}, room, deadlineAfter(0.05));
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  // It ends without a word: no more than that is missed.
  rank1.reset();
  EXPECT_EQ(receive({0, 5, 0}, 64).message(),
            "rank 1 ended without taking its leave: the connection was closed");
}

TEST_F(HostileRank, WhoTakesNothingIsNamedAsWaitedFor) {
  EXPECT_EQ(rank0->waits(), "");
  Status status;
  std::thread sends([&] { // More than the system keeps on the way.
    const std::vector<std::byte> large(kMostUnplannedBytes);
    status = rank0->send(1, {0, 5, 0}, large, {});
  });
  std::string waits;
  const auto deadline = deadlineAfter(60);
  while ((waits = rank0->waits()).empty() &&
         std::chrono::steady_clock::now() < *deadline)
    std::this_thread::yield();
  EXPECT_EQ(waits, "rank 0 waits for rank 1 to take what it sends");
  rank0->fail(0, Status(StatusCode::Cancelled, "no more of it"));
  sends.join();
  EXPECT_EQ(status.message(), "rank 1: no more of it");
  EXPECT_EQ(rank0->waits(), "");
}

/// As one that is stopped: it reads nothing and does not leave. What it was
/// sent may be under way, so it is waited for, and then it is said.
TEST_F(HostileRank, WhoDoesNotHearThatOthersLeaveIsReported) {
  std::vector<std::string> log;
  options.log = [&](LogLevel, std::string_view line) {
    log.emplace_back(line);
  };
  shutdown(rank1.get(), SHUT_WR); // The first one leaves at once.
  rank0.reset();
  EXPECT_TRUE(log.empty());
  options.deadlineSeconds = 1;
  SetUp();
  rank0.reset();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "rank 1 did not hear in 1 seconds that rank 0 leaves; "
                    "what it was sent last may not have arrived");
}

/// It is told in which epoch.
TEST_F(HostileRank, ARankThatLeavesSaysSo) {
  rank0->beginEpoch(77);
  std::thread leaves([&] { rank0.reset(); });
  std::array<std::byte, FrameHeader::kBytes> bytes;
  receiveAll(rank1, bytes);
  auto frame = FrameHeader::decode(bytes);
  ASSERT_TRUE(frame.ok()) << frame.status().message();
  EXPECT_EQ(frame->kind, FrameHeader::Kind::Bye);
  EXPECT_EQ(frame->tag.epoch, 77u);
  EXPECT_TRUE(isClosed(rank1));
  shutdown(rank1.get(), SHUT_WR);
  leaves.join();
}

} // namespace
