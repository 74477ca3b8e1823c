// SPDX-License-Identifier: Apache-2.0
// Rules on folders.
#include "smp/rules/InvokeRule.h"
#include "TemporaryFolder.h"
#include "WrittenTrial.h"
#include "smp/rules/BuiltInRules.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;
using smp::test::WrittenTrial;

namespace {

struct InvokeRule : testing::Test {
  TemporaryFolder folder;
  WrittenTrial written{folder.file("run")};

  /// What a rule is met by, one a line, or the error.
  std::string invoke(const std::string &rule, uint64_t start = 0,
                     uint64_t end = UINT64_MAX) {
    return say(invokeRule(open(), *make(rule), start, end));
  }
  static std::unique_ptr<Rule> make(const std::string &rule) {
    auto choice = RuleChoice::parse(rule);
    EXPECT_TRUE(choice.ok());
    auto made = makeRule(*choice);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.take();
  }
  Trial open() const {
    auto trial = Trial::open(written.path());
    EXPECT_TRUE(trial.ok()) << trial.status().message();
    return trial.take();
  }
  static std::string say(const StatusOr<std::vector<Finding>> &findings) {
    if (!findings.ok())
      return findings.status().message();
    std::string text;
    for (const Finding &finding : *findings)
      text += finding.message() + "\n";
    return text;
  }
};

TEST_F(InvokeRule, FindsStepsOfARange) {
  for (uint64_t step = 0; step < 6; ++step)
    written.add(step, step % 2 ? Mode::Eval : Mode::Train, step / 2,
                {{"x", {step >= 2 ? 0.0f : 1.0f}}});
  written.end();
  const std::string rule = "AllZero,tensor_regex=x";
  EXPECT_EQ(invoke(rule),
            "AllZero is met at step 1 of TRAIN (2 of all) by 'x': all of its "
            "elements are 0\n"
            "AllZero is met at step 2 of TRAIN (4 of all) by 'x': all of its "
            "elements are 0\n");
  EXPECT_EQ(invoke(rule, 3, 5),
            "AllZero is met at step 2 of TRAIN (4 of all) by 'x': all of its "
            "elements are 0\n");
  EXPECT_EQ(invoke(rule, 3, 4), "");
}

TEST_F(InvokeRule, ReadsReductionsWhereThatIsAllThereIs) {
  const std::string prefix = "smdebug/reductions/";
  written.add(0, Mode::Train, 0,
              {{prefix + "abs_mean/g", {0.5f}}, {prefix + "max/h", {1}}});
  written.add(1, Mode::Train, 1,
              {{prefix + "abs_mean/g", {0}},
               {prefix + "max/h", {INFINITY}},
               {"i", {1, NAN}}});
  written.end();
  EXPECT_EQ(invoke("VanishingGradient,tensor_regex=g|h"),
            "VanishingGradient is met at step 1 of TRAIN by 'g': the mean of "
            "its absolute elements is 0, below 1e-07\n");
  EXPECT_EQ(invoke("AllZero,tensor_regex=g|h"),
            "AllZero is met at step 1 of TRAIN by 'g': all of its elements are "
            "0\n");
  EXPECT_EQ(invoke("ExplodingTensor"),
            "ExplodingTensor is met at step 1 of TRAIN by 'h': its saved max "
            "is inf\n");
  EXPECT_EQ(invoke("ExplodingTensor,tensor_regex=i"),
            "ExplodingTensor is met at step 1 of TRAIN by 'i': 1 of 2 elements "
            "is NaN\n");
  // What needs values has none of those.
  EXPECT_EQ(invoke("UnchangedTensor,tensor_regex=g,num_steps=2"), "");
}

TEST_F(InvokeRule, EarlierStepsAreOfTheModeAndMayBeBeforeTheRange) {
  const float values[] = {1, 2, 2, 3, 2, 4};
  for (uint64_t step = 0; step < 6; ++step)
    written.add(step, step % 2 ? Mode::Eval : Mode::Train, step / 2,
                {{"w", {values[step]}}});
  written.end();
  // Train: 1, 2, 2. Eval: 2, 3, 4.
  const std::string met =
      "UnchangedTensor is met at step 2 of TRAIN (4 of all) by 'w': none of "
      "its 1 element has changed in 2 steps, since step 1 of TRAIN (2 of all), "
      "by more than 1e-08 + 1e-05 of its size\n";
  EXPECT_EQ(invoke("UnchangedTensor,tensor_regex=w,num_steps=2"), met);
  EXPECT_EQ(invoke("UnchangedTensor,tensor_regex=w,num_steps=2", 4), met);
}

TEST_F(InvokeRule, KnowsTheCollectionOfLosses) {
  for (uint64_t step = 0; step < 11; ++step)
    written.add(step, Mode::Train, step, {{"loss", {2}}, {"x", {1}}});
  written.end();
  EXPECT_EQ(invoke("LossNotDecreasing"),
            "LossNotDecreasing is met at step 10 of TRAIN by 'loss': the loss "
            "fell by 0 %, from a mean of 2 to 2 in 10 steps; it is expected to "
            "fall by 0.1 %\n");
}

TEST_F(InvokeRule, SeesThatARunIsSilent) {
  written.seconds = 100;
  written.add(0, Mode::Train, 0, {{"x", {1}}});
  written.seconds = 3000;
  written.add(1, Mode::Train, 1, {{"x", {1}}});
  const std::string before =
      "StalledTraining is met at step 1 of TRAIN: no tensor came for 2900 "
      "seconds before it, more than 1800\n";
  const auto rule = make("StalledTraining");
  const auto late = make("StalledTraining,threshold=2900");
  const auto findings = [&](Rule &which, double now) {
    Rule *const rules[] = {&which};
    return say(invokeRules(open(), rules, {}, [now] { return now; }));
  };
  EXPECT_EQ(findings(*rule, 3001), before);
  EXPECT_EQ(findings(*late, 5900), "");
  EXPECT_EQ(findings(*late, 5901),
            "StalledTraining is met at step 1 of TRAIN: no tensor came for "
            "2901 seconds since it, more than 2900\n");
  written.end();
  EXPECT_EQ(findings(*late, 5901), "");
}

/// A rule that an application has.
struct Both : Rule {
  std::string_view name() const override { return "Both"; }
  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    return tensor.name == "a" || tensor.name == "b" ? RuleNeed::Numbers
                                                    : RuleNeed::Nothing;
  }
  std::vector<std::string> requiredTensors() const override {
    return {"a", "b"};
  }
  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source,
           std::span<const RuleTensor *const> tensors) override {
    double sum = 0;
    for (const RuleTensor *tensor : tensors)
      sum += **source.number(tensor->name, {TensorReduction::Kind::Sum});
    sizes.push_back(tensors.size());
    if (sum < 10)
      return std::optional<Finding>();
    return std::optional(
        Finding{.tensor = "a", .text = std::to_string(int(sum))});
  }
  std::vector<size_t> sizes;
};

TEST_F(InvokeRule, GivesACustomRuleWhatItRequires) {
  written.add(0, Mode::Train, 0, {{"a", {20}}, {"c", {1}}});
  written.add(1, Mode::Train, 1, {{"a", {5}}, {"b", {4}}, {"c", {1}}});
  written.add(2, Mode::Train, 2, {{"a", {5}}, {"b", {5}}, {"c", {1}}});
  written.end();
  Both rule;
  EXPECT_EQ(say(invokeRule(open(), rule)),
            "Both is met at step 2 of TRAIN by 'a': 10\n");
  EXPECT_EQ(rule.sizes, (std::vector<size_t>{2, 2}));
  Both early;
  EXPECT_EQ(say(invokeRule(open(), early, 0, 1)),
            "Both requires 'b', which no step that it looked at has");
  EXPECT_TRUE(early.sizes.empty());
}

TEST_F(InvokeRule, SaysWhatIsDamaged) {
  written.add(0, Mode::Train, 0, {{"x", {1}}});
  written.end();
  std::filesystem::resize_file(written.eventsFile(0), 10);
  EXPECT_EQ(invoke("AllZero,tensor_regex=x").substr(0, 32),
            "AllZero at step 0 of TRAIN: '" + std::string("eve"));
}

TEST_F(InvokeRule, AFolderWithoutStepsMeetsNothing) {
  written.end();
  EXPECT_EQ(invoke("AllZero"), "");
}

} // namespace
