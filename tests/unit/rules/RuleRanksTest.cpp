// SPDX-License-Identifier: Apache-2.0
// Rules of a run on two ranks: what one shows, all know.
#include "RankThreads.h"
#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/RuleWatch.h"
#include "smp/runtime/Session.h"

using namespace smp;
using namespace smp::test;

namespace {

/// One rank of a chain over two, whose twin shows v0 of rank 0, v1 of rank 1:
/// in a step with x they are 2 x + 1 and 4 x + 3.
class RuledRank {
public:
  explicit RuledRank(Communicator &communicator, double deadlineSeconds = 30) {
    maker = makeChain(2);
    maker->program.entries[0].mode = Mode::Train;
    showStages(*maker);
    EXPECT_TRUE(maker->finish().ok());
    SessionOptions options;
    options.devices = "0/cpu:0,1/cpu:0";
    options.communicator = &communicator;
    options.deadlineSeconds = deadlineSeconds;
    auto opened = Session::open(SharedProgram::read(maker->file()).take(),
                                std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  Status add(const std::string &rule, WatchedRule options = {}) {
    auto made = makeRule(*RuleChoice::parse(rule));
    return made.ok() ? watch.add(made.take(), std::move(options))
                     : made.status();
  }
  Status step(float x) {
    TestTensor input({4, 8});
    std::ranges::fill(input.values, x);
    return session->step("predict", std::vector{input.as("x")}, {}).status();
  }

  double now = 0;
  std::vector<std::string> said;
  std::unique_ptr<ProgramMaker> maker;
  std::optional<Session> session;
  RuleWatch watch{
      [this](LogLevel, std::string_view line) { said.emplace_back(line); },
      [this] { return now; }};
};

constexpr char kOfEach[] = "AllZero,tensor_regex=^v[01]$";

/// The values of either rank.
class AZeroOn : public testing::TestWithParam<uint32_t> {};

TEST_P(AZeroOn, OneRankIsFoundOnAll) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator);
    ASSERT_TRUE(rank.add(kOfEach).ok());
    const Status attached = rank.watch.attach(*rank.session);
    ASSERT_TRUE(attached.ok()) << attached.message();
    const float zero = GetParam() == 0 ? -0.5f : -0.75f;
    for (const float x : {1.0f, 2.0f, zero, 3.0f, zero})
      EXPECT_TRUE(rank.step(x).ok());
    EXPECT_EQ(rank.said,
              std::vector<std::string>{
                  "AllZero is met at step 2 of TRAIN by 'v" +
                  std::to_string(GetParam()) + "': all of its elements are 0"});
    const std::vector<RuleReport> reports = rank.watch.report();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].evaluated, 5u);
    EXPECT_EQ(reports[0].met, 2u);
  });
}

TEST_P(AZeroOn, OneRankStopsAll) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator);
    ASSERT_TRUE(rank.add(kOfEach, {.action = stopRun()}).ok());
    ASSERT_TRUE(rank.watch.attach(*rank.session).ok());
    EXPECT_TRUE(rank.step(1).ok());
    EXPECT_EQ(rank.step(GetParam() == 0 ? -0.5f : -0.75f).code(),
              StatusCode::FailedPrecondition);
    EXPECT_TRUE(rank.step(1).ok()); // Who goes on, may.
    EXPECT_EQ(rank.watch.report()[0].evaluated, 3u);
  });
}

TEST_P(AZeroOn, OneRankMakesAllSaveACheckpoint) {
  const TemporaryFolder folder;
  onThreads(2, [&](Communicator &communicator) {
    RuledRank rank(communicator);
    CheckpointManager manager(*rank.session, {.directory = folder.path()});
    const auto save = [&](const Finding &) { return manager.save().status(); };
    ASSERT_TRUE(rank.add(kOfEach, {.action = save}).ok());
    ASSERT_TRUE(rank.watch.attach(*rank.session).ok());
    for (const float x : {1.0f, GetParam() == 0 ? -0.5f : -0.75f, 2.0f}) {
      const Status status = rank.step(x);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    EXPECT_EQ(manager.checkpoints().size(), 1u);
  });
}

INSTANTIATE_TEST_SUITE_P(Rank, AZeroOn, testing::Range(0u, 2u));

/// Clocks differ; rank 0's counts.
TEST(RuleRanks, WhatFollowsFromTimeIsTheSameOnAll) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator);
    ASSERT_TRUE(rank.add("StalledTraining").ok());
    ASSERT_TRUE(rank.watch.attach(*rank.session).ok());
    for (int step = 0; step < 4; ++step) {
      EXPECT_TRUE(rank.step(1).ok());
      rank.now += communicator.rank() == 1 ? 5000 : step == 2 ? 2000 : 1;
    }
    const std::vector<RuleReport> reports = rank.watch.report();
    EXPECT_EQ(reports[0].met, 1u);
    EXPECT_EQ(reports[0].first->step.globalStep, 3u);
  });
}

/// A rank whose steps or actions fail is awaited by nobody in vain.
TEST(RuleRanks, FailuresOfOneRankLeaveTheOthersInStep) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator);
    const uint32_t number = communicator.rank();
    const auto fail = [&](const Finding &) {
      return number == 0 ? unavailable("no disk") : Status();
    };
    ASSERT_TRUE(rank.add(kOfEach, {.action = fail}).ok());
    ASSERT_TRUE(rank.watch.attach(*rank.session).ok());
    int failed = 0;
    for (int i = 0; i < 30; ++i) {
      const bool isWrong = i % 5 == 4 && uint32_t(i) % 2 == number;
      const TestTensor wrong({3, 8});
      failed += isWrong ? !rank.session
                               ->step("predict", std::vector{wrong.as("x")}, {})
                               .ok()
                        : !rank.step(i % 10 < 5 ? 1 : -0.5f).ok();
    }
    EXPECT_GE(failed, 6);
    const std::vector<RuleReport> reports = rank.watch.report();
    EXPECT_GE(reports[0].met, 10u);
    EXPECT_LE(reports[0].met, 15u);
    EXPECT_EQ(reports[0].first->step.globalStep, 4u);
  });
}

TEST(RuleRanks, OtherRulesAreRefused) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator);
    ASSERT_TRUE(rank.add(kOfEach).ok());
    if (communicator.rank() == 1) {
      ASSERT_TRUE(rank.add("StalledTraining", {.range = {2, 9, 3}}).ok());
    }
    const std::string first = "[AllZero (0::1)]",
                      second = "[AllZero (0::1), StalledTraining (2:9:3)]";
    const bool isFirst = communicator.rank() == 0;
    EXPECT_EQ(rank.watch.attach(*rank.session).message(),
              "rank " + std::to_string(isFirst ? 1 : 0) + " watches " +
                  (isFirst ? second : first) +
                  ", with their start:end:interval, and this one " +
                  (isFirst ? first : second) +
                  "; give all ranks the same rules in the same order");
    EXPECT_TRUE(rank.step(1).ok());
  });
}

TEST(RuleRanks, OneThatHasNoneIsNamed) {
  onThreads(2, [](Communicator &communicator) {
    RuledRank rank(communicator, /*deadlineSeconds=*/0.2);
    ASSERT_TRUE(rank.add(kOfEach).ok());
    if (communicator.rank() == 0) {
      const Status status = rank.watch.attach(*rank.session);
      EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
      EXPECT_NE(status.message().find("RuleWatch::attach"), std::string::npos)
          << status.message();
      EXPECT_NE(status.message().find("rank 1"), std::string::npos)
          << status.message();
    }
  });
}

} // namespace
