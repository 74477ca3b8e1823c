// SPDX-License-Identifier: Apache-2.0
// The conformance suite of communicators.
#include "smp/drivers/ranks/Communicators.h"
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;

namespace {

using Communicators = std::vector<std::unique_ptr<Communicator>>;

std::string freshAddress(const std::string &kind) {
  static int number = 0;
  if (kind == "unix")
    return "unix:" + testing::TempDir() + "smp-ranks-" +
           std::to_string(getpid()) + "-" + std::to_string(number++);
  // Below those that the system gives to who connects.
  std::random_device random;
  return "tcp:127.0.0.1:" + std::to_string(20000 + random() % 12000);
}

Communicators connectAll(const std::string &kind, uint32_t size) {
  if (kind == "threads")
    return makeInProcessCommunicators(size);
  Communicators all(size);
  const std::string address = freshAddress(kind);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      auto made = connectSockets({rank, size, address, 30, "test"});
      EXPECT_TRUE(made.ok()) << made.status().message();
      if (made.ok())
        all[rank] = made.take();
    });
  for (std::thread &thread : threads)
    thread.join();
  return all;
}

std::vector<std::byte> bytesOf(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty())
    std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

class RanksCts : public testing::TestWithParam<const char *> {
protected:
  void connect(uint32_t size) {
    ranks = connectAll(GetParam(), size);
    for (auto &rank : ranks)
      ASSERT_NE(rank, nullptr);
  }
  /// Runs `body` for each rank on a thread of its own.
  void onAll(const std::function<void(Communicator &)> &body) {
    std::vector<std::thread> threads;
    for (auto &rank : ranks)
      threads.emplace_back([&] { body(*rank); });
    for (std::thread &thread : threads)
      thread.join();
  }
  std::string receiveText(uint32_t at, uint32_t from, MessageTag tag,
                          size_t size) {
    std::string text(size, '\0');
    const Status status = ranks[at]->receive(
        from, tag, std::as_writable_bytes(std::span(text)), deadlineAfter(30));
    return status.ok() ? text : status.message();
  }

  Communicators ranks;
};

TEST_P(RanksCts, KnowWhoTheyAre) {
  connect(3);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ranks[rank]->rank(), rank);
    EXPECT_EQ(ranks[rank]->size(), 3u);
  }
}

TEST_P(RanksCts, MessagesAreFoundByTagAndKeepTheirOrder) {
  connect(2);
  for (const char *text : {"one", "two", "six"})
    ASSERT_TRUE(ranks[0]->send(1, {0, 5, 0}, bytesOf(text), {}).ok());
  ASSERT_TRUE(ranks[0]->send(1, {0, 5, 1}, bytesOf("other"), {}).ok());
  ASSERT_TRUE(ranks[0]->send(1, {0, 6, 0}, {}, {}).ok());
  EXPECT_EQ(receiveText(1, 0, {0, 6, 0}, 0), "");
  EXPECT_EQ(receiveText(1, 0, {0, 5, 1}, 5), "other");
  EXPECT_EQ(receiveText(1, 0, {0, 5, 0}, 3), "one");
  EXPECT_EQ(receiveText(1, 0, {0, 5, 0}, 3), "two");
  EXPECT_EQ(receiveText(1, 0, {0, 5, 0}, 3), "six");
}

TEST_P(RanksCts, LargeMessagesBothWaysAtOnce) {
  connect(2);
  std::vector<uint32_t> sent(3 << 20);
  std::iota(sent.begin(), sent.end(), 0u);
  onAll([&](Communicator &mine) {
    const uint32_t other = 1 - mine.rank();
    std::vector<uint32_t> got(sent.size());
    EXPECT_TRUE(
        mine.send(other, {0, 1, 0}, std::as_bytes(std::span(sent)), {}).ok());
    EXPECT_TRUE(mine.receive(other, {0, 1, 0},
                             std::as_writable_bytes(std::span(got)), {})
                    .ok());
    EXPECT_EQ(got, sent);
  });
}

TEST_P(RanksCts, AWrongSizeIsNamed) {
  connect(2);
  ASSERT_TRUE(ranks[0]->send(1, {0, 1, 0}, bytesOf("four"), {}).ok());
  EXPECT_EQ(receiveText(1, 0, {0, 1, 0}, 5),
            "rank 0 sent 4 bytes where rank 1 expects 5");
}

TEST_P(RanksCts, Collectives) {
  connect(3);
  onAll([](Communicator &mine) {
    const Deadline deadline = deadlineAfter(30);
    std::string text = mine.rank() == 1 ? "root" : "....";
    EXPECT_TRUE(mine.broadcast(1, {0, 10, 0},
                               std::as_writable_bytes(std::span(text)),
                               deadline)
                    .ok());
    EXPECT_EQ(text, "root");
    const std::string own(mine.rank(), char('a' + mine.rank()));
    auto all = mine.allGather({"names", {0, 11, 0}, deadline}, bytesOf(own));
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ(*all, (std::vector<std::vector<std::byte>>{
                        bytesOf(""), bytesOf("b"), bytesOf("cc")}));
    EXPECT_TRUE(mine.barrier({"all", {0, 12, 0}, deadline}).ok());
  });
}

TEST_P(RanksCts, ADeadlineSaysWhoWaitsForWhom) {
  connect(3);
  std::byte byte[1];
  const Status status =
      ranks[2]->receive(1, {0, 1, 0}, byte, deadlineAfter(0.05));
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(status.message(),
            "no message of rank 1 came in time: rank 2 waits for rank 1");
  EXPECT_EQ(ranks[2]->waits(), "");
}

TEST_P(RanksCts, AFailureEndsTheWaitsOfItsEpochEverywhere) {
  connect(3);
  onAll([](Communicator &mine) {
    mine.beginEpoch(7);
    if (mine.rank() == 1)
      return mine.fail(7, invalidArgument("it broke"));
    std::byte byte[1];
    const Status status = mine.receive(0, {7, 1, 0}, byte, {});
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), "rank 1: it broke");
    EXPECT_EQ(mine.send(0, {7, 1, 0}, byte, {}).message(), "rank 1: it broke");
  });
  // The next epoch is a new start.
  onAll([](Communicator &mine) {
    mine.beginEpoch(8);
    EXPECT_EQ(mine.epoch(), 8u);
    EXPECT_TRUE(mine.barrier({"all", {8, 0, 0}, deadlineAfter(30)}).ok());
  });
}

TEST_P(RanksCts, AnEpochThatIsOverLeavesNothingBehind) {
  connect(2);
  ASSERT_TRUE(ranks[0]->send(1, {3, 1, 0}, bytesOf("old"), {}).ok());
  ASSERT_TRUE(ranks[0]->send(1, {4, 1, 0}, bytesOf("new"), {}).ok());
  ranks[1]->beginEpoch(4);
  EXPECT_EQ(receiveText(1, 0, {4, 1, 0}, 3), "new");
  EXPECT_EQ(receiveText(1, 0, {3, 1, 0}, 3), "epoch 3 is over");
}

TEST_P(RanksCts, ARankThatIsGoneIsNamed) {
  connect(2);
  ASSERT_TRUE(ranks[1]->send(0, {0, 1, 0}, bytesOf("last"), {}).ok());
  ranks[1].reset();
  EXPECT_EQ(receiveText(0, 1, {0, 1, 0}, 4), "last");
  const std::string message = receiveText(0, 1, {0, 1, 0}, 4);
  EXPECT_NE(message.find("rank 1"), std::string::npos) << message;
  EXPECT_NE(message.find("closed its communicator"), std::string::npos)
      << message;
}

TEST_P(RanksCts, PlannedSizesHoldForWhoSendsAndWhoReceives) {
  connect(2);
  for (auto &rank : ranks)
    rank->planMessages(4, std::vector<MessageSize>{{1 - rank->rank(), 5, 3}});
  EXPECT_EQ(ranks[0]->send(1, {4, 5, 0}, bytesOf("four"), {}).message(),
            "rank 0 sent 4 bytes where rank 1 expects 3");
  EXPECT_EQ(ranks[0]
                ->send(1, {4, 6, 0},
                       std::vector<std::byte>(kMostUnplannedBytes + 1), {})
                .message(),
            "rank 0 sent 16777217 bytes where rank 1 expects at most 16777216");
  // Refused where it is sent, it does no harm.
  ASSERT_TRUE(ranks[0]->send(1, {4, 5, 0}, bytesOf("six"), {}).ok());
  ASSERT_TRUE(ranks[0]->send(1, {3, 5, 0}, bytesOf("before"), {}).ok());
  EXPECT_EQ(receiveText(1, 0, {4, 5, 0}, 3), "six");
  EXPECT_EQ(receiveText(1, 0, {3, 5, 0}, 6), "before");
}

/// As in a step: who has all that it waits for is done, and may be gone before
/// the others have told it that they have read what it sent.
TEST_P(RanksCts, WhoIsDoneMayLeaveBeforeTheOthersAre) {
  connect(3);
  for (auto &rank : ranks)
    rank->beginEpoch(4);
  ASSERT_TRUE(ranks[0]->send(1, {4, 1, 0}, bytesOf("in"), {}).ok());
  ASSERT_TRUE(ranks[1]->send(0, {4, 2, 0}, bytesOf("out"), {}).ok());
  EXPECT_EQ(receiveText(0, 1, {4, 2, 0}, 3), "out");
  ranks[0].reset();
  EXPECT_EQ(receiveText(1, 0, {4, 1, 0}, 2), "in");
  const Status returned = ranks[1]->send(0, {4, 3, 0}, {}, {});
  EXPECT_TRUE(returned.ok()) << returned.message();
  const Status large =
      ranks[1]->send(0, {4, 3, 1}, std::vector<std::byte>(1 << 22), {});
  EXPECT_TRUE(large.ok()) << large.message();
  // In the next step it is missed.
  ranks[1]->beginEpoch(5);
  EXPECT_EQ(ranks[1]->send(0, {5, 3, 0}, {}, {}).message(),
            "rank 0 has closed its communicator");
  EXPECT_EQ(receiveText(1, 0, {5, 1, 0}, 2),
            "rank 0 has closed its communicator");
  // And nothing is between the others.
  ASSERT_TRUE(ranks[1]->send(2, {5, 1, 0}, bytesOf("on"), {}).ok());
  ranks[2]->beginEpoch(5);
  EXPECT_EQ(receiveText(2, 1, {5, 1, 0}, 2), "on");
}

TEST_P(RanksCts, WhoLeavesHasGivenAllThatItSent) {
  connect(2);
  constexpr size_t kMessages = 64, kBytes = 1 << 18;
  // Unread, these would end a connection that is simply closed.
  for (uint32_t i = 0; i < kMessages; ++i)
    ASSERT_TRUE(ranks[1]->send(0, {0, 9, i}, bytesOf("unread"), {}).ok());
  for (uint32_t i = 0; i < kMessages; ++i)
    ASSERT_TRUE(ranks[0]
                    ->send(1, {0, 1, i},
                           std::vector<std::byte>(kBytes, std::byte(i)), {})
                    .ok());
  ranks[0].reset();
  for (uint32_t i = 0; i < kMessages; ++i) {
    std::vector<std::byte> got(kBytes);
    const Status status = ranks[1]->receive(0, {0, 1, i}, got, {});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(got, std::vector<std::byte>(kBytes, std::byte(i)));
  }
}

/// Whoever leaves first, and whatever is still under way.
TEST_P(RanksCts, AllMayLeaveAtOnce) {
  for (int i = 0; i < 50; ++i) {
    connect(3);
    std::vector<std::thread> threads;
    for (auto &rank : ranks)
      threads.emplace_back([&rank] {
        const uint32_t next = (rank->rank() + 1) % 3;
        const uint32_t last = (rank->rank() + 2) % 3;
        EXPECT_TRUE(rank->send(next, {0, 1, 0}, bytesOf("go"), {}).ok());
        std::string text(2, ' ');
        EXPECT_TRUE(rank->receive(last, {0, 1, 0},
                                  std::as_writable_bytes(std::span(text)), {})
                        .ok());
        const Status returned = rank->send(last, {0, 2, 0}, {}, {});
        EXPECT_TRUE(returned.ok()) << returned.message();
        rank.reset();
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

//===----------------------------------------------------------------------===//
// Collectives that do not come to their end
//===----------------------------------------------------------------------===//

TEST_P(RanksCts, ABarrierNamesItselfAndWhoIsMissing) {
  connect(4);
  auto comeTo = [&](uint32_t rank) {
    const Status status =
        ranks[rank]->barrier({"merge", {5, 1, 3}, deadlineAfter(0.05)});
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    return status.message();
  };
  const std::string alone = comeTo(2);
  EXPECT_TRUE(
      alone.starts_with("'merge' 3 of epoch 5: 1 of 4 ranks came in 0."))
      << alone;
  EXPECT_TRUE(alone.ends_with(" seconds, rank 2 waits for rank 0, 1, 3"))
      << alone;
  // By then the message of rank 2 is here.
  ASSERT_TRUE(ranks[2]->send(0, {5, 2, 0}, bytesOf("after"), {}).ok());
  EXPECT_EQ(receiveText(0, 2, {5, 2, 0}, 5), "after");
  const std::string two = comeTo(0);
  EXPECT_TRUE(two.starts_with("'merge' 3 of epoch 5: 2 of 4 ranks came in 0."))
      << two;
  EXPECT_TRUE(two.ends_with(" seconds, rank 0 waits for rank 1, 3")) << two;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

TEST_P(RanksCts, LanesHaveEpochsAndMessagesOfTheirOwn) {
  connect(2);
  auto first = ranks[0]->openLane(), second = ranks[0]->openLane();
  // These wait for lanes that are not open yet.
  ASSERT_TRUE(second->send(1, {1, 5, 0}, bytesOf("second"), {}).ok());
  ASSERT_TRUE(first->send(1, {1, 5, 0}, bytesOf("first"), {}).ok());
  ASSERT_TRUE(ranks[0]->send(1, {9, 5, 0}, bytesOf("steps"), {}).ok());
  ranks[0]->beginEpoch(9);
  ranks[1]->beginEpoch(9);
  EXPECT_EQ(receiveText(1, 0, {9, 5, 0}, 5), "steps");
  auto one = ranks[1]->openLane(), two = ranks[1]->openLane();
  for (auto [lane, text] : {std::pair(&one, "first"), {&two, "second"}}) {
    EXPECT_EQ((*lane)->rank(), 1u);
    EXPECT_EQ((*lane)->size(), 2u);
    EXPECT_EQ((*lane)->epoch(), 0u);
    auto got = (*lane)->receiveAny(0, {1, 5, 0}, deadlineAfter(30));
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_EQ(*got, bytesOf(text));
  }
  one->beginEpoch(3);
  EXPECT_EQ(ranks[1]->epoch(), 9u);
  EXPECT_EQ(two->epoch(), 0u);
  const uint64_t progress = ranks[1]->progress();
  ASSERT_TRUE(two->send(0, {1, 6, 0}, bytesOf("back"), {}).ok());
  EXPECT_EQ(ranks[1]->progress(), progress);
  EXPECT_EQ(*second->receiveAny(1, {1, 6, 0}, deadlineAfter(30)),
            bytesOf("back"));
}

TEST_P(RanksCts, AFailureIsOneOfItsLane) {
  connect(2);
  onAll([](Communicator &mine) {
    auto lane = mine.openLane();
    mine.beginEpoch(4);
    lane->beginEpoch(4);
    const uint32_t other = 1 - mine.rank();
    if (mine.rank() == 0) {
      lane->fail(4, invalidArgument("it broke"));
    } else {
      const Status status =
          lane->receiveAny(0, {4, 1, 0}, deadlineAfter(30)).status();
      EXPECT_EQ(status.message(), "rank 0: it broke");
    }
    EXPECT_FALSE(lane->send(other, {4, 1, 0}, {}, {}).ok());
    EXPECT_TRUE(mine.barrier({"steps", {4, 1, 0}, deadlineAfter(30)}).ok());
    lane->beginEpoch(5);
    EXPECT_TRUE(lane->barrier({"lane", {5, 1, 0}, deadlineAfter(30)}).ok());
  });
}

TEST_P(RanksCts, PlansAndWaitsAreOfOneLane) {
  connect(2);
  auto lane = ranks[0]->openLane();
  ranks[0]->planMessages(0, std::vector<MessageSize>{{1, 5, 3}});
  EXPECT_FALSE(ranks[0]->send(1, {0, 5, 0}, bytesOf("four"), {}).ok());
  EXPECT_TRUE(lane->send(1, {0, 5, 0}, bytesOf("four"), {}).ok());
  std::thread waits([&] {
    EXPECT_FALSE(lane->receiveAny(1, {0, 5, 0}, deadlineAfter(30)).ok());
  });
  while (lane->waits().empty())
    std::this_thread::yield();
  EXPECT_EQ(lane->waits(), "rank 0 waits for rank 1");
  EXPECT_EQ(ranks[0]->waits(), "");
  lane->fail(0, Status(StatusCode::Cancelled, "no more of it"));
  waits.join();
}

TEST_P(RanksCts, ARankThatIsGoneIsGoneOnAllLanes) {
  connect(2);
  auto before = ranks[0]->openLane();
  std::thread waits([&] {
    const Status status = before->receiveAny(1, {0, 1, 0}, {}).status();
    EXPECT_EQ(status.message(), "rank 1 has closed its communicator");
  });
  while (before->waits().empty())
    std::this_thread::yield();
  ranks[1].reset();
  waits.join();
  auto after = ranks[0]->openLane();
  EXPECT_EQ(after->receiveAny(1, {0, 1, 0}, {}).status().message(),
            "rank 1 has closed its communicator");
  EXPECT_EQ(after->send(1, {1, 1, 0}, {}, {}).message(),
            "rank 1 has closed its communicator");
}

TEST_P(RanksCts, WhoClosesALaneLeavesItAlone) {
  connect(2);
  auto left = ranks[0]->openLane(), stays = ranks[1]->openLane();
  left->beginEpoch(4);
  ASSERT_TRUE(left->send(1, {4, 1, 0}, bytesOf("last"), {}).ok());
  left.reset();
  EXPECT_EQ(*stays->receiveAny(0, {4, 1, 0}, deadlineAfter(30)),
            bytesOf("last"));
  EXPECT_EQ(
      stays->receiveAny(0, {4, 1, 0}, deadlineAfter(30)).status().message(),
      "rank 0 has closed its communicator");
  // What it had begun needs nothing more; and the rest goes on.
  EXPECT_TRUE(stays->send(0, {4, 2, 0}, bytesOf("late"), {}).ok());
  EXPECT_FALSE(stays->send(0, {5, 2, 0}, bytesOf("later"), {}).ok());
  onAll([](Communicator &mine) {
    EXPECT_TRUE(mine.barrier({"steps", {0, 1, 0}, deadlineAfter(30)}).ok());
    auto next = mine.openLane();
    EXPECT_TRUE(next->barrier({"next", {1, 1, 0}, deadlineAfter(30)}).ok());
  });
}

/// Of messages that nobody will take.
TEST_P(RanksCts, NoRankIsFarAheadWithLanes) {
  connect(2);
  Communicators lanes;
  constexpr uint32_t kMostAhead = 64;
  for (uint32_t i = 0; i <= kMostAhead; ++i)
    lanes.push_back(ranks[0]->openLane());
  const MessageTag tag{0, 1, 0};
  ASSERT_TRUE(lanes[kMostAhead - 1]->send(1, tag, bytesOf("in"), {}).ok());
  Communicators theirs;
  const Status ahead = lanes[kMostAhead]->send(1, tag, bytesOf("out"), {});
  EXPECT_TRUE(ahead.ok() || ahead.message().find("sent a message of lane 65, "
                                                 "where rank 1 has opened 1") !=
                                ahead.message().npos);
  for (uint32_t i = 0; i < kMostAhead; ++i)
    theirs.push_back(ranks[1]->openLane());
  EXPECT_EQ(*theirs.back()->receiveAny(0, {0, 1, 0}, deadlineAfter(30)),
            bytesOf("in"));
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// A thread of the parent waits for a message meanwhile, and does not exist in
/// the child.
TEST_P(RanksCts, AForkedProcessDoesNotLeaveInPlaceOfItsParent) {
  connect(2);
  auto lane = ranks[0]->openLane();
  std::thread waits([&] {
    const Status status = lane->receiveAny(1, {0, 1, 0}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::Cancelled);
  });
  while (lane->waits().empty())
    std::this_thread::yield();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20); // What hangs is ended by a signal.
    lane.reset();
    ranks.clear();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  lane->fail(0, Status(StatusCode::Cancelled, "no more of it"));
  waits.join();
  ASSERT_TRUE(ranks[0]->send(1, {0, 1, 0}, bytesOf("here"), {}).ok());
  EXPECT_EQ(receiveText(1, 0, {0, 1, 0}, 4), "here");
}

INSTANTIATE_TEST_SUITE_P(Kinds, RanksCts,
                         testing::Values("threads", "unix", "tcp"));

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

std::string failToMeet(const SocketOptions &options) {
  auto made = connectSockets(options);
  EXPECT_FALSE(made.ok());
  return made.ok() ? "" : made.status().message();
}

TEST(Rendezvous, WrongOptions) {
  EXPECT_EQ(failToMeet({3, 2, "unix:x", 1, ""}),
            "rank 3 of 2 does not exist; ranks are 0 to size - 1");
  for (const char *address : {"", "udp:x", "tcp:", "tcp:host", "unix:"})
    EXPECT_NE(failToMeet({0, 2, address, 1, ""}).find("is no address of ranks"),
              std::string::npos)
        << address;
}

/// Before anything is waited for.
TEST(Rendezvous, DeadlinesOutOfRangeAreRefused) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<double, const char *> cases[] = {{-1, "-1"},
                                                   {-inf, "-inf"},
                                                   {inf, "inf"},
                                                   {-1e-9, "-1e-09"},
                                                   {1.1e9, "1.1e+09"}};
  for (const auto &[seconds, text] : cases)
    for (uint32_t rank : {0, 1})
      EXPECT_EQ(failToMeet({rank, 2, freshAddress("unix"), seconds, ""}),
                std::string("deadlineSeconds is ") + text +
                    "; it must be from 0 (never) to 1e+09");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(failToMeet({0, 1, "", nan, ""}),
            "deadlineSeconds is nan; it must be from 0 (never) to 1e+09");
}

TEST(Rendezvous, WhoIsMissingIsNamed) {
  const std::string address = freshAddress("unix");
  EXPECT_EQ(failToMeet({0, 3, address, 0.1, ""}),
            "rank 0 of 3 waited 0.1 seconds at " + address + " for rank 1, 2");
  EXPECT_NE(failToMeet({1, 3, address, 0.1, ""}).find("is rank 0 running?"),
            std::string::npos);
}

TEST(Rendezvous, RanksMustAgreeOnTheirNumber) {
  const std::string address = freshAddress("unix");
  std::thread other([&] {
    EXPECT_EQ(failToMeet({1, 3, address, 5, ""}),
              address + ": rank 0 says there are 2 ranks, rank 1 says 3");
  });
  EXPECT_EQ(failToMeet({0, 2, address, 5, ""}),
            "rank 1 says there are 3 ranks, rank 0 says 2");
  other.join();
}

TEST(Rendezvous, RanksWithASecretMeet) {
  for (const char *kind : {"unix", "tcp"}) {
    Communicators all(4);
    SocketOptions options{0, 4, freshAddress(kind), 30};
    options.secret = "what only the ranks know";
    options.program = 7;
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < 4; ++rank)
      threads.emplace_back([&, rank] {
        SocketOptions mine = options;
        mine.rank = rank;
        auto made = connectSockets(mine);
        EXPECT_TRUE(made.ok()) << made.status().message();
        if (made.ok())
          all[rank] = made.take();
      });
    for (std::thread &thread : threads)
      thread.join();
    threads.clear();
    for (auto &rank : all)
      threads.emplace_back([&] {
        EXPECT_TRUE(rank->barrier({"all", {0, 1, 0}, deadlineAfter(30)}).ok());
        rank.reset();
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(Rendezvous, OtherJobsAreNotLetIn) {
  const std::string address = freshAddress("unix");
  std::thread stranger([&] {
    EXPECT_EQ(failToMeet({1, 2, address, 5, "another job"}),
              address + ": rank 0 is of another job than rank 1");
  });
  EXPECT_NE(failToMeet({0, 2, address, 0.5, "this job"}).find("for rank 1"),
            std::string::npos);
  stranger.join();
}

/// Leaves a path that nobody listens on, as a killed process does.
void leaveSocketFile(const std::string &path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(file, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
            0);
  close(file);
}

TEST(Rendezvous, ALeftOverPathIsReusedAndOnesOwnRemoved) {
  const std::string address = freshAddress("unix");
  const std::string path = address.substr(5);
  leaveSocketFile(path);
  Communicators both(2);
  std::thread other(
      [&] { both[1] = connectSockets({1, 2, address, 10, ""}).take(); });
  both[0] = connectSockets({0, 2, address, 10, ""}).take();
  other.join();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

} // namespace
