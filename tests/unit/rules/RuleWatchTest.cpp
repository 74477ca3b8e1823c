// SPDX-License-Identifier: Apache-2.0
// Rules on a Session that runs.
#include "smp/rules/RuleWatch.h"
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/InvokeRule.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

struct RuleWatchTest : testing::Test {
  Watched watched;
  std::vector<std::string> said;
  double now = 0;
  RuleWatch watch{[this](LogLevel level, std::string_view line) {
                    said.push_back((level == LogLevel::Info ? "info: " : "") +
                                   std::string(line));
                  },
                  [this] { return now; }};

  void add(const std::string &text, WatchedRule options = {}) {
    const auto choice = RuleChoice::parse(text);
    auto rule = makeRule(*choice);
    ASSERT_TRUE(rule.ok()) << rule.status().message();
    ASSERT_TRUE(watch.add(rule.take(), std::move(options)).ok());
  }
  void attach() {
    const Status status = watch.attach(*watched.session);
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

constexpr char kZero[] = "AllZero,tensor_regex=^y$";
constexpr char kMet[] = "AllZero is met at step 1 of TRAIN by 'y': all of its "
                        "elements are 0";

TEST_F(RuleWatchTest, SaysOnceWhatItFinds) {
  add(kZero);
  attach();
  EXPECT_TRUE(watched.step("train", 1).ok()); // y is 3.
  EXPECT_TRUE(watched.step("train", -0.5f).ok());
  EXPECT_TRUE(watched.step("predict", -0.5f).ok()); // Not trained.
  EXPECT_TRUE(watched.step("train", -0.5f).ok());
  EXPECT_EQ(said, std::vector<std::string>{kMet});
  const auto reports = watch.report();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].rule, "AllZero");
  EXPECT_EQ(reports[0].evaluated, 3u);
  EXPECT_EQ(reports[0].met, 2u);
  EXPECT_EQ(reports[0].first->message(), kMet);
}

TEST_F(RuleWatchTest, WithoutALogTheSessionsGetsIt) {
  watch = RuleWatch();
  add(kZero);
  attach();
  EXPECT_TRUE(watched.step("train", 1).ok());
  EXPECT_TRUE(watched.step("train", -0.5f).ok());
  EXPECT_EQ(watched.warnings, std::vector<std::string>{kMet});
}

TEST_F(RuleWatchTest, StopsTheRun) {
  add(kZero, {.action = stopRun()});
  attach();
  EXPECT_TRUE(watched.step("train", 1).ok());
  const Status status = watched.step("train", -0.5f);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(), kMet);
  EXPECT_TRUE(watched.step("train", -0.5f).ok()); // Who goes on, may.
}

TEST_F(RuleWatchTest, CallsAllActionsOfAStepInOrder) {
  std::vector<std::string> called;
  const auto note = [&](const char *name, Status result) {
    return [&called, name, result](const Finding &finding) {
      called.push_back(std::string(name) + ": " + finding.tensor);
      return result;
    };
  };
  add(kZero, {.action = note("first", Status())});
  add(kZero, {.action = note("second", unavailable("no disk"))});
  add(kZero, {.action = note("third", Status())});
  attach();
  const Status status = watched.step("train", -0.5f);
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(called,
            (std::vector<std::string>{"first: y", "second: y", "third: y"}));
  EXPECT_TRUE(said.empty());
}

TEST_F(RuleWatchTest, EvaluatesStepsOfTheRangeAlone) {
  add(kZero, {.range = {.startStep = 3, .endStep = 9, .interval = 2}});
  attach();
  for (int step = 0; step < 12; ++step)
    EXPECT_TRUE(watched.step("train", -0.5f).ok());
  EXPECT_EQ(watch.report()[0].evaluated, 3u); // 4, 6, 8
  EXPECT_EQ(watch.report()[0].first->step.globalStep, 4u);
}

TEST_F(RuleWatchTest, KnowsEarlierStepsOfOutputs) {
  add("UnchangedTensor,tensor_regex=^y$");
  add("WeightUpdateRatio,tensor_regex=^y$,large_threshold=0.5");
  attach();
  for (const float x : {1, 2, 2, 2, 3})
    EXPECT_TRUE(watched.step("train", x).ok());
  EXPECT_EQ(
      said,
      (std::vector<std::string>{
          "WeightUpdateRatio is met at step 1 of TRAIN by 'y': its update "
          "since step 0 of TRAIN is 0.6667 of its size, above 0.5",
          "UnchangedTensor is met at step 3 of TRAIN by 'y': none of its 16 "
          "elements has changed in 3 steps, since step 1 of TRAIN, by more "
          "than 1e-08 + 1e-05 of its size"}));
}

TEST_F(RuleWatchTest, LossesAreThoseThatItIsTold) {
  ASSERT_TRUE(watch.addToCollection("losses", "loss").ok());
  add("Overfit");
  attach();
  EXPECT_TRUE(watched.step("train", 1).ok());
  EXPECT_TRUE(watched.step("eval", 2).ok());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0],
            "Overfit is met at step 0 of EVAL (1 of all) by 'loss': the mean "
            "of validation is 5 and that of training 3: it is above by 0.6667 "
            "of that, more than 0.1");
}

TEST_F(RuleWatchTest, SeesThatNothingCame) {
  add("StalledTraining");
  attach();
  EXPECT_TRUE(watched.step("train", 1).ok());
  now = 1800;
  EXPECT_TRUE(watched.step("train", 1).ok());
  EXPECT_TRUE(said.empty());
  now += 1801;
  EXPECT_TRUE(watched.step("predict", 1).ok());
  EXPECT_EQ(said, std::vector<std::string>{
                      "StalledTraining is met at step 0 of PREDICT (2 of all): "
                      "no tensor came for 1801 seconds before it, more than "
                      "1800"});
}

/// The same rules say the same of a run and of what a hook wrote of it.
TEST_F(RuleWatchTest, ATrialOfTheRunSaysTheSame) {
  const TemporaryFolder folder;
  HookConfig config = everyStep(folder.file("run"));
  config.collections = {{.name = "outputs"}};
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*watched.session).ok());
  ASSERT_TRUE(watch.addToCollection("losses", "loss").ok());
  const char *const rules[] = {kZero,
                               "UnchangedTensor,tensor_regex=^y$",
                               "LossNotDecreasing,num_steps=2",
                               "Overfit",
                               "TensorVariance,min_threshold=0.1",
                               "ExplodingTensor"};
  std::vector<std::unique_ptr<Rule>> made;
  std::vector<Rule *> all;
  std::map<std::string, std::string> live, read;
  for (const char *rule : rules) {
    add(rule, {.action = [&](const Finding &finding) {
          live[finding.rule] = finding.message();
          return Status();
        }});
    made.push_back(makeRule(*RuleChoice::parse(rule)).take());
    all.push_back(made.back().get());
  }
  attach();
  const float inputs[] = {3, 3, 3, 3, -0.5f, 5, 2, INFINITY};
  for (size_t step = 0; step < std::size(inputs); ++step)
    EXPECT_TRUE(
        watched.step(step % 4 == 3 ? "eval" : "train", inputs[step]).ok());
  ASSERT_TRUE(hook.close().ok());
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  const auto findings = invokeRules(*trial, all);
  ASSERT_TRUE(findings.ok()) << findings.status().message();
  for (const Finding &finding : *findings)
    read.emplace(finding.rule, finding.message());
  EXPECT_EQ(live, read);
  EXPECT_EQ(live.size(), std::size(rules) - 1); // No infinity in training.
}

struct Broken : Rule {
  std::string_view name() const override { return "Broken"; }
  StatusOr<RuleNeed> needs(const RuleTensor &) override {
    return RuleNeed::Presence;
  }
  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &, std::span<const RuleTensor *const>) override {
    return resourceExhausted("too much");
  }
};

TEST_F(RuleWatchTest, ARuleThatFailsIsOff) {
  ASSERT_TRUE(
      watch.add(std::make_unique<Broken>(), {.action = stopRun()}).ok());
  add(kZero);
  attach();
  for (int step = 0; step < 3; ++step)
    EXPECT_TRUE(watched.step("train", -0.5f).ok());
  EXPECT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "a rule failed and is off now: Broken at step 0 of TRAIN: "
                     "too much");
}

struct NeedsTensor : Broken {
  std::vector<std::string> requiredTensors() const override { return {"z"}; }
};

TEST_F(RuleWatchTest, SaysWhatIsWrong) {
  EXPECT_EQ(watch.add(std::make_unique<Broken>(), {.range = {.interval = 0}})
                .message(),
            "the interval of Broken is 0; it must be 1 or more");
  ASSERT_TRUE(watch.addToCollection("losses", "lost").ok());
  EXPECT_EQ(watch.attach(*watched.session).message(),
            "the program neither gives nor shows 'lost', which is to be in "
            "'losses'; compile it with --capture or --capture-all");
  RuleWatch other;
  ASSERT_TRUE(other.add(std::make_unique<NeedsTensor>()).ok());
  EXPECT_EQ(other.attach(*watched.session).message(),
            "Broken requires 'z', which the program neither gives nor shows; "
            "compile it with --capture or --capture-all");
  RuleWatch third;
  ASSERT_TRUE(third.attach(*watched.session).ok());
  EXPECT_EQ(third.attach(*watched.session).code(),
            StatusCode::FailedPrecondition);
  EXPECT_EQ(third.add(std::make_unique<Broken>()).code(),
            StatusCode::FailedPrecondition);
}

/// While a step runs the Session takes no observer.
struct AttachesInAStep : StepObserver {
  AttachesInAStep(RuleWatch &watch, Session &session)
      : watch(watch), session(session) {}
  Status onStep(const CompletedStep &) override {
    result = watch.attach(session);
    return Status();
  }
  RuleWatch &watch;
  Session &session;
  Status result;
};

TEST_F(RuleWatchTest, WhatWasNotAttachedCanBeLater) {
  add(kZero);
  auto early = std::make_shared<AttachesInAStep>(watch, *watched.session);
  ASSERT_TRUE(
      watched.session->addObserver(early, OnObserverError::SwitchOff).ok());
  EXPECT_TRUE(watched.step("train", 1).ok());
  EXPECT_NE(early->result.message().find("busy"), std::string::npos)
      << early->result.message();
  early.reset();
  attach();
}

TEST_F(RuleWatchTest, SaysWhichRulesLookAtNothing) {
  add("DeadRelu");
  attach();
  EXPECT_EQ(said, std::vector<std::string>{
                      "info: DeadRelu looks at nothing that the program gives "
                      "or shows"});
}

} // namespace
