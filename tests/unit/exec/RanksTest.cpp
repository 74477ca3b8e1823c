// SPDX-License-Identifier: Apache-2.0
// One program on several ranks: threads of this process and processes.
#include "RankThreads.h"
#include "TestPrograms.h"
#include "smp/exec/RankMeeting.h"
#include <algorithm>
#include <csignal>
#include <mutex>
#include <semaphore>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

std::vector<float> chained(const TestTensor &x, uint32_t partitions) {
  std::vector<float> values;
  for (float value : x.values)
    values.push_back(chainOf(value, partitions));
  return values;
}

SessionOptions onRanks(std::string devices, Communicator &communicator) {
  SessionOptions options;
  options.devices = std::move(devices);
  options.communicator = &communicator;
  options.deadlineSeconds = 30;
  return options;
}

/// Opens the chain and runs a few steps; every rank gets the outputs.
void runChain(uint32_t partitions, const std::string &devices,
              Communicator &communicator) {
  auto maker = makeChain(partitions);
  auto opened =
      openSession(maker->finish().take(), onRanks(devices, communicator));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  auto session = opened.take();
  for (int64_t microbatches : {1, 5, 12, 2}) {
    const TestTensor x({2 * microbatches, 8}, float(microbatches));
    auto result = session->step("predict", std::vector{x.as("x")}, {});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(floatsOf(result->find("y")), chained(x, partitions));
  }
}

TEST(RanksTest, GiveTheBitsOfOneRank) {
  for (const char *driver : {"cpu", "null"}) {
    const std::string d = std::string(driver) + ":";
    onThreads(2, [&](Communicator &communicator) {
      runChain(2, "0/" + d + "0,1/" + d + "0", communicator);
    });
    onThreads(3, [&](Communicator &communicator) {
      runChain(4, "0/" + d + "0,2/" + d + "0,1/" + d + "0,0/" + d + "1",
               communicator);
    });
  }
}

TEST(RanksTest, DevicesAreSharedOutWhenNoneAreNamed) {
  onThreads(2,
            [](Communicator &communicator) { runChain(3, "", communicator); });
  // A rank without a partition may watch.
  onThreads(3,
            [](Communicator &communicator) { runChain(2, "", communicator); });
}

TEST(RanksTest, ProcessesOverSocketsGiveTheSameBits) {
  const std::string address = "unix:" + testing::TempDir() + "smp-exec-ranks-" +
                              std::to_string(getpid());
  onProcesses(address, [](Communicator &communicator) {
    runChain(3, "0/cpu:0,1/cpu:0,0/cpu:1", communicator);
  });
}

/// Each rank leaves as soon as its own step is done, which random delays put
/// before and after what others do.
TEST(RanksTest, WhoIsDoneFirstDoesNotEndTheOthersSteps) {
  for (int i = 0; i < 50; ++i) {
    const std::string address = "unix:" + testing::TempDir() + "smp-exec-end-" +
                                std::to_string(getpid()) + "-" +
                                std::to_string(i);
    onSockets(3, address, [](Communicator &communicator) {
      auto maker = makeChain(4);
      auto session = openSession(maker->finish().take(),
                                 onRanks("0/null:0,1/null:0,2/null:0,0/null:1",
                                         communicator))
                         .take();
      const TestTensor x({6, 8});
      auto result = session->step("predict", std::vector{x.as("x")}, {3, {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(floatsOf(result->find("y")), chained(x, 4));
    });
  }
}

/// A process that is stopped has its connections, and says nothing.
TEST(RanksTest, AStoppedProcessIsReportedWithinTheDeadline) {
  const std::string address = "unix:" + testing::TempDir() + "smp-exec-stop-" +
                              std::to_string(getpid());
  auto open = [&](uint32_t rank, auto &&then) {
    auto communicator = connectSockets({rank, 2, address, 30, "test"});
    ASSERT_TRUE(communicator.ok()) << communicator.status().message();
    SessionOptions options = onRanks("0/cpu:0,1/cpu:0", **communicator);
    options.deadlineSeconds = 0.3;
    options.log = [](LogLevel, std::string_view) {};
    auto session = openSession(makeChain(2)->finish().take(), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    then(**session);
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    open(1, [](SessionCore &) { raise(SIGSTOP); });
    _exit(1);
  }
  open(0, [](SessionCore &session) {
    const TestTensor x({4, 8});
    auto result = session.step("predict", std::vector{x.as("x")}, {});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(result.status().message().find("rank 0 waits for rank 1"),
              std::string::npos)
        << result.status().message();
  });
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
}

TEST(RanksTest, MeetBetweenSteps) {
  onThreads(3, [](Communicator &communicator) {
    auto maker = makeChain(2);
    auto session = openSession(maker->finish().take(),
                               onRanks("0/cpu:0,1/cpu:0", communicator))
                       .take();
    const std::string own = "rank " + std::to_string(communicator.rank());
    const TestTensor x({4, 8});
    for (int i = 0; i < 3; ++i) {
      auto meeting = RankMeeting::begin(*session);
      ASSERT_TRUE(meeting.ok()) << meeting.status().message();
      EXPECT_EQ(meeting->rank(), communicator.rank());
      EXPECT_EQ(meeting->size(), 3u);
      auto all = meeting->exchange(own, 0);
      ASSERT_TRUE(all.ok()) << all.status().message();
      EXPECT_EQ(*all, (std::vector<std::string>{"rank 0", "rank 1", "rank 2"}));
      auto first = meeting->hearFirst(own);
      ASSERT_TRUE(first.ok()) << first.status().message();
      EXPECT_EQ(*first, "rank 0");
      auto result = session->step("predict", std::vector{x.as("x")}, {2, {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(floatsOf(result->find("y")), chained(x, 2));
    }
    session->requestStop(); // A matter of steps alone.
    auto meeting = RankMeeting::begin(*session);
    ASSERT_TRUE(meeting.ok()) << meeting.status().message();
    EXPECT_TRUE(meeting->exchange("", 0).ok());
  });
}

TEST(RanksTest, AMeetingThatOneMissesEndsForAll) {
  onThreads(3, [](Communicator &communicator) {
    auto maker = makeChain(2);
    SessionOptions options = onRanks("0/cpu:0,1/cpu:0", communicator);
    options.deadlineSeconds = communicator.rank() == 0 ? 0.2 : 30;
    auto session = openSession(maker->finish().take(), options).take();
    if (communicator.rank() == 2) {
      // It comes when the others have given up.
      std::byte byte[1];
      EXPECT_FALSE(
          communicator.receive(0, {communicator.epoch() + 1, 7, 7}, byte, {})
              .ok());
      return;
    }
    auto meeting = RankMeeting::begin(*session);
    ASSERT_TRUE(meeting.ok());
    auto all = meeting->exchange("", 0.1);
    ASSERT_FALSE(all.ok());
    EXPECT_EQ(all.status().code(), StatusCode::DeadlineExceeded);
    EXPECT_EQ(all.status().message(),
              std::string(communicator.rank() == 0 ? "" : "rank 0: ") +
                  "no message of rank 2 came in time: rank 0 waits for rank 2");
    EXPECT_FALSE(meeting->hearFirst("").ok());
  });
}

TEST(RanksTest, OnlyWantedOutputsTravel) {
  onThreads(2, [](Communicator &communicator) {
    auto maker = makeChain(2);
    maker->output("h");
    maker->entry().edges[1].to.push_back({kCaller, 1});
    SessionOptions options = onRanks("0/cpu:0,1/cpu:0", communicator);
    if (communicator.rank() == 0)
      options.wantedOutputs = {"h"};
    auto session = openSession(maker->finish().take(), options).take();
    const TestTensor x({4, 8});
    // Rank 1 uses no input: it says how many microbatches there are.
    std::vector<InputTensor> inputs;
    if (communicator.rank() == 0)
      inputs.push_back(x.as("x"));
    auto result = session->step("predict", inputs, {2, {}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(floatsOf(result->find("h")), chained(x, 1));
    if (communicator.rank() == 0)
      EXPECT_EQ(result->find("y"), nullptr);
    else
      EXPECT_EQ(floatsOf(result->find("y")), chained(x, 2));
  });
}

TEST(RanksTest, AnErrorOfOneRankIsTheOthersToo) {
  onThreads(2, [](Communicator &communicator) {
    auto maker = makeChain(2);
    auto session = openSession(maker->finish().take(),
                               onRanks("0/cpu:0,1/cpu:0", communicator))
                       .take();
    const TestTensor good({4, 8}), odd({3, 8});
    const bool first = communicator.rank() == 0;
    auto failed =
        session->step("predict", std::vector{(first ? odd : good).as("x")}, {});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(failed.status().message(),
              std::string(first ? "" : "rank 0: ") +
                  "input 'x' is 3x8; it must be ?x8 with ? a multiple of the "
                  "microbatch's 2");
    auto next = session->step("predict", std::vector{good.as("x")}, {});
    ASSERT_TRUE(next.ok()) << next.status().message();
    EXPECT_EQ(floatsOf(next->find("y")), chained(good, 2));
  });
}

TEST(RanksTest, ARankThatDoesNotComeIsReported) {
  onThreads(2, [](Communicator &communicator) {
    auto maker = makeChain(2);
    SessionOptions options = onRanks("0/cpu:0,1/cpu:0", communicator);
    options.deadlineSeconds = 0.2;
    options.log = [](LogLevel, std::string_view) {};
    auto session = openSession(maker->finish().take(), options).take();
    const TestTensor x({4, 8});
    if (communicator.rank() == 1) {
      auto failed = session->step("predict", std::vector{x.as("x")}, {});
      ASSERT_FALSE(failed.ok());
      EXPECT_EQ(failed.status().code(), StatusCode::DeadlineExceeded);
      EXPECT_NE(failed.status().message().find("rank 1 waits for rank 0"),
                std::string::npos)
          << failed.status().message();
      // Lets the other one go.
      (void)communicator.send(0, {1000, 0, 0}, {}, {});
      return;
    }
    ASSERT_TRUE(communicator.receive(1, {1000, 0, 0}, {}, {}).ok());
  });
}

/// Passes everything on, keeps what was planned, and says when it is received.
class Recorder final : public Communicator {
public:
  explicit Recorder(Communicator &to) : to(to) {}
  std::function<void()> onReceive = [] {};
  uint32_t rank() const override { return to.rank(); }
  uint32_t size() const override { return to.size(); }
  Status send(uint32_t rank, MessageTag tag, std::span<const std::byte> bytes,
              Deadline deadline) override {
    return to.send(rank, tag, bytes, deadline);
  }
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    onReceive();
    return to.receive(from, tag, bytes, deadline);
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    onReceive();
    return to.receiveAny(from, tag, deadline);
  }
  void beginEpoch(uint64_t epoch) override { to.beginEpoch(epoch); }
  uint64_t epoch() const override { return to.epoch(); }
  void fail(uint64_t epoch, const Status &why) override { to.fail(epoch, why); }
  uint64_t progress() const override { return to.progress(); }
  std::string waits() const override { return to.waits(); }
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    EXPECT_EQ(epoch, to.epoch());
    planned.assign(sizes.begin(), sizes.end());
    to.planMessages(epoch, sizes);
  }

  std::vector<MessageSize> planned;

private:
  Communicator &to;
};

/// The edge's tensors, what comes back for them, the output's, and meetings:
/// every message of a step has a size that both sides know.
TEST(RanksTest, EveryMessageOfAStepIsPlanned) {
  onThreads(2, [](Communicator &communicator) {
    Recorder recorder(communicator);
    auto maker = makeChain(2);
    auto session = openSession(maker->finish().take(),
                               onRanks("0/cpu:0,1/cpu:0", recorder))
                       .take();
    const uint32_t other = 1 - communicator.rank();
    std::vector<uint64_t> sizes;
    for (const MessageSize &message : recorder.planned)
      if (message.peer == other)
        sizes.push_back(message.bytes);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<uint64_t>{0, 0, 0, 64, 64}));
    const TestTensor x({4, 8});
    auto result = session->step("predict", std::vector{x.as("x")}, {});
    EXPECT_TRUE(result.ok()) << result.status().message();
  });
}

/// Rank 0 does all the work and waits for nothing that rank 1 makes.
TEST(RanksTest, WhoOnlySendsWaitsForWhoOnlyReceives) {
  constexpr int kSteps = 100, kMostAhead = 16;
  std::atomic<int> begun{0};    // By rank 0.
  std::binary_semaphore far{0}; // Rank 0 has come as far as it can.
  onThreads(2, [&](Communicator &communicator) {
    const bool sends = communicator.rank() == 0;
    Recorder recorder(communicator);
    auto session =
        openSession(makeChain(1)->finish().take(), onRanks("0/cpu:0", recorder))
            .take();
    std::once_flag once;
    auto comeFar = [&] { std::call_once(once, [&] { far.release(); }); };
    if (sends)
      recorder.onReceive = comeFar;
    else
      far.acquire();
    for (int step = 1; step <= kSteps; ++step) {
      if (sends)
        begun = step;
      else
        EXPECT_LE(begun, step - 1 + kMostAhead);
      const TestTensor x({4, 8}, float(step));
      auto result = session->step("predict", std::vector{x.as("x")}, {2, {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(floatsOf(result->find("y")), chained(x, 1));
    }
    if (sends)
      comeFar();
  });
}

/// A slow receiver sends nothing of its own, and still its steps are progress
/// for who waits to meet it.
TEST(RanksTest, WhoWaitsToMeetSeesTheStepsOfOthers) {
  constexpr int kSteps = 16; // The last is the first in which they meet.
  std::atomic<Communicator *> sender{nullptr};
  std::binary_semaphore waits{0};
  onThreads(2, [&](Communicator &communicator) {
    const bool sends = communicator.rank() == 0;
    Recorder recorder(communicator);
    auto session =
        openSession(makeChain(1)->finish().take(), onRanks("0/cpu:0", recorder))
            .take();
    std::once_flag once;
    if (sends) {
      sender = &communicator;
      recorder.onReceive = [&] {
        std::call_once(once, [&] { waits.release(); });
      };
    } else {
      waits.acquire();
    }
    for (int step = 1; step <= kSteps; ++step) {
      const uint64_t before = sends ? 0 : sender.load()->progress();
      const TestTensor x({4, 8}, float(step));
      auto result = session->step("predict", std::vector{x.as("x")}, {2, {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      if (!sends) {
        EXPECT_GT(sender.load()->progress(), before) << "step " << step;
      }
    }
  });
}

TEST(RanksTest, AReceiverThatDoesNotComeIsReported) {
  onThreads(2, [](Communicator &communicator) {
    SessionOptions options = onRanks("0/cpu:0", communicator);
    options.deadlineSeconds = 0.2;
    options.log = [](LogLevel, std::string_view) {};
    auto session = openSession(makeChain(1)->finish().take(), options).take();
    if (communicator.rank() == 1) { // Until rank 0 has given up.
      ASSERT_TRUE(communicator.receive(0, {1000, 0, 0}, {}, {}).ok());
      return;
    }
    const TestTensor x({4, 8});
    Status status;
    for (int step = 0; status.ok() && step < 100; ++step)
      status = session->step("predict", std::vector{x.as("x")}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(status.message().find("rank 0 waits for rank 1"),
              std::string::npos)
        << status.message();
    (void)communicator.send(1, {1000, 0, 0}, {}, {});
  });
}

TEST(RanksTest, RanksMustOpenTheSame) {
  onThreads(2, [](Communicator &communicator) {
    const bool first = communicator.rank() == 0;
    auto maker = makeChain(2);
    maker->program.producer = first ? "one" : "another";
    auto opened = openSession(maker->finish().take(),
                              onRanks("0/cpu:0,1/cpu:0", communicator));
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.status().message().find("opened another program"),
              std::string::npos)
        << opened.status().message();
  });
  // Also where all names are the same.
  onThreads(2, [](Communicator &communicator) {
    auto maker = makeChain(2);
    maker->splat("w", communicator.rank());
    auto opened = openSession(maker->finish().take(),
                              onRanks("0/cpu:0,1/cpu:0", communicator));
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.status().message().find("opened another program"),
              std::string::npos)
        << opened.status().message();
  });
  onThreads(2, [](Communicator &communicator) {
    const bool first = communicator.rank() == 0;
    auto maker = makeChain(2);
    auto opened = openSession(
        maker->finish().take(),
        onRanks(first ? "0/cpu:0,1/cpu:0" : "1/cpu:0,0/cpu:0", communicator));
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.status().message().find("was given devices"),
              std::string::npos)
        << opened.status().message();
  });
}

} // namespace
