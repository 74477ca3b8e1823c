// SPDX-License-Identifier: Apache-2.0
// What rules want to be shown, and what they make of statistics.
#include "RuleObserver.h"
#include "smp/rules/BuiltInRules.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

namespace {

constexpr int64_t kElements = 4;

/// A program that shows the parameter `w` and its gradient.
struct RuleObserverTest : testing::Test {
  const TensorType type{DType::F32, {kElements}};
  const Tap weight{"w", TapKind::Whole, TapRole::Parameter, type},
      gradient{"gradient/w", TapKind::Statistics, TapRole::Gradient, type};
  std::vector<std::string> said;
  RuleObserver observer{
      [this](LogLevel, std::string_view line) { said.emplace_back(line); },
      [] { return 0.0; }};

  void add(const std::string &text, RuleRange range = {}) {
    auto rule = makeRule(*RuleChoice::parse(text));
    ASSERT_TRUE(rule.ok()) << rule.status().message();
    ASSERT_TRUE(observer.add(rule.take(), {.range = range}).ok());
  }
  void prepare() {
    const TensorSignature loss{
        .name = "loss", .dtype = DType::F32, .shape = {}};
    const Status status = observer.prepare(
        {{.name = "train",
          .mode = "train",
          .inputs = {},
          .outputs = {loss},
          .taps = {weight, gradient}},
         {.name = "eval", .mode = "eval", .inputs = {}, .outputs = {loss}}},
        /*sessionLog=*/{});
    ASSERT_TRUE(status.ok()) << status.message();
    said.clear(); // Rules that look at nothing.
  }
  StepView wants(std::string_view entry, Mode mode, uint64_t step) {
    return observer.wants({entry, mode, step, step});
  }

  /// Records of two microbatches, of which the second has so many NaNs, and
  /// whose elements have the absolute mean `size`.
  Status showGradient(uint64_t step, double size, uint64_t nans = 0) {
    std::vector<double> records(2 * kNumStatistics);
    for (int m = 0; m < 2; ++m) {
      const auto at = [&](Statistic which) -> double & {
        return records[size_t(m * int(kNumStatistics)) + size_t(which)];
      };
      at(Statistic::Min) = at(Statistic::Max) = at(Statistic::AbsMin) = size;
      at(Statistic::Sum) = at(Statistic::AbsSum) = size * kElements;
      at(Statistic::Nans) = m == 1 ? double(nans) : 0;
    }
    const int64_t shape[] = {2, 1, kNumStatistics};
    const ShownValue shown{.tap = &gradient,
                           .tensor = {.name = "statistics/gradient/w",
                                      .dtype = DType::F64,
                                      .shape = shape,
                                      .data = records.data(),
                                      .bytes = records.size() * sizeof(double),
                                      .batchAxis = 0,
                                      .microbatches = 2},
                           .stage = "train.backward",
                           .partition = 3};
    SMP_RETURN_IF_ERROR(observer.onStep({.entry = "train",
                                         .mode = Mode::Train,
                                         .modeStep = step,
                                         .globalStep = step,
                                         .microbatches = 2,
                                         .output = {},
                                         .shown = {&shown, 1}}));
    return observer.afterStep();
  }
};

TEST_F(RuleObserverTest, WantsOutputsWhereTheySuffice) {
  add("StalledTraining");
  add("LossNotDecreasing");
  add("DeadRelu"); // The program has none.
  prepare();
  EXPECT_EQ(wants("train", Mode::Train, 0), StepView::Outputs);
}

TEST_F(RuleObserverTest, WantsStatisticsWhereTheySuffice) {
  add("VanishingGradient");
  add("ExplodingTensor");
  prepare();
  EXPECT_EQ(wants("train", Mode::Train, 0), StepView::Statistics);
  EXPECT_EQ(wants("eval", Mode::Eval, 0), StepView::Outputs);
}

TEST_F(RuleObserverTest, WantsValuesWhereARuleLooksAtThem) {
  add("VanishingGradient", {.startStep = 2});
  add("WeightUpdateRatio", {.startStep = 3, .endStep = 9, .interval = 2});
  prepare();
  std::string views;
  for (uint64_t step = 0; step < 11; ++step)
    views += "osv"[size_t(wants("train", Mode::Train, step))];
  EXPECT_EQ(views, "oossvsvsvss");
}

TEST_F(RuleObserverTest, WantsNothingForARuleThatFailed) {
  struct Broken : Rule {
    std::string_view name() const override { return "Broken"; }
    StatusOr<RuleNeed> needs(const RuleTensor &) override {
      return RuleNeed::Numbers;
    }
    StatusOr<std::optional<Finding>>
    evaluate(RuleSource &, std::span<const RuleTensor *const>) override {
      return unavailable("no");
    }
  };
  ASSERT_TRUE(observer.add(std::make_unique<Broken>(), {}).ok());
  prepare();
  EXPECT_EQ(wants("train", Mode::Train, 0), StepView::Statistics);
  EXPECT_TRUE(showGradient(0, 1).ok());
  EXPECT_EQ(said.size(), 1u);
  EXPECT_EQ(wants("train", Mode::Train, 1), StepView::Outputs);
}

TEST_F(RuleObserverTest, NumbersFollowFromStatistics) {
  add("VanishingGradient,threshold=0.25");
  prepare();
  EXPECT_TRUE(showGradient(0, 0.25).ok());
  EXPECT_TRUE(said.empty());
  EXPECT_TRUE(showGradient(1, 0.125).ok());
  EXPECT_EQ(said, std::vector<std::string>{
                      "VanishingGradient is met at step 1 of TRAIN by "
                      "'gradient/w': the mean of its absolute elements is "
                      "0.125, below 0.25"});
}

TEST_F(RuleObserverTest, FaultsAreOfAMicrobatchAndAStage) {
  add("ExplodingTensor");
  prepare();
  EXPECT_TRUE(showGradient(0, 1).ok());
  EXPECT_TRUE(said.empty());
  EXPECT_TRUE(showGradient(1, 1, 3).ok());
  EXPECT_EQ(said, std::vector<std::string>{
                      "ExplodingTensor is met at step 1 of TRAIN by "
                      "'gradient/w': 3 of 4 elements are NaN in microbatch 1 "
                      "of 2, counted from 0, in stage 'train.backward' on "
                      "partition 3"});
}

} // namespace
