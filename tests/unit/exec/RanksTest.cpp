// SPDX-License-Identifier: Apache-2.0
// One program on several ranks: threads of this process and processes.
#include "TestPrograms.h"
#include "smp/drivers/ranks/Communicators.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

/// What one rank does with its communicator.
using RankBody = std::function<void(Communicator &)>;

void onThreads(uint32_t ranks, const RankBody &body) {
  auto communicators = makeInProcessCommunicators(ranks);
  std::vector<std::thread> threads;
  for (auto &communicator : communicators)
    threads.emplace_back([&] { body(*communicator); });
  for (std::thread &thread : threads)
    thread.join();
}

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
  auto runRank = [&](uint32_t rank) {
    auto communicator = connectSockets({rank, 2, address, 30, "exec"});
    ASSERT_TRUE(communicator.ok()) << communicator.status().message();
    runChain(3, "0/cpu:0,1/cpu:0,0/cpu:1", **communicator);
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    runRank(1);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  runRank(0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
