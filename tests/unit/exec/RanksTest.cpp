// SPDX-License-Identifier: Apache-2.0
// One program on several ranks: threads of this process and processes.
#include "RankSessions.h"
#include <algorithm>
#include <csignal>
#include <mutex>
#include <semaphore>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

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

TEST(RanksTest, ADeviceThatCannotBeOpenedIsTheOthersErrorToo) {
  onThreads(2, [](Communicator &communicator) {
    auto opened = openSession(makeChain(2)->finish().take(),
                              onRanks("0/cpu:0,1/cpu:0=x", communicator));
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.status().message().find("'x' is no list of cores"),
              std::string::npos)
        << opened.status().message();
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
