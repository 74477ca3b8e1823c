// SPDX-License-Identifier: Apache-2.0
// Rules on losses.
#include "FakeRun.h"
#include <random>

using namespace smp;
using namespace smp::test;

namespace {

//===----------------------------------------------------------------------===//
// LossNotDecreasing
//===----------------------------------------------------------------------===//

/// At which step it is first met by losses; -1: never.
int firstMet(FakeRun &run, const std::vector<double> &losses) {
  for (size_t step = 0; step < losses.size(); ++step)
    if (run.loss(losses[step]))
      return int(step);
  return -1;
}

TEST(LossNotDecreasing, IsMetAfterNumSteps) {
  FakeRun usual({"LossNotDecreasing"}),
      soon({"LossNotDecreasing", {{"num_steps", "2"}}});
  const std::vector<double> same(30, 2);
  EXPECT_EQ(firstMet(usual, same), 10);
  EXPECT_EQ(firstMet(soon, same), 2);
}

TEST(LossNotDecreasing, KnowsItsPercents) {
  // After one step: each window has one step.
  const auto met = [](double before, double now) {
    FakeRun run({"LossNotDecreasing",
                 {{"num_steps", "1"},
                  {"diff_percent", "25"},
                  {"increase_threshold_percent", "50"}}});
    EXPECT_FALSE(run.loss(before));
    const auto finding = run.loss(now);
    return finding ? finding->text : "";
  };
  EXPECT_EQ(met(4, 3), ""); // 25 %
  EXPECT_EQ(met(4, 3.5), "the loss fell by 12.5 %, from a mean of 4 to 3.5 in "
                         "1 step; it is expected to fall by 25 %");
  EXPECT_EQ(met(4, 4.5), "the loss rose by 12.5 %, from a mean of 4 to 4.5 in "
                         "1 step; it is expected to fall by 25 %");
  EXPECT_EQ(met(4, 5), ""); // Noise.
  EXPECT_EQ(met(4, 6), ""); // 50 %
  EXPECT_EQ(met(4, 6.5), "the loss rose by 62.5 %, from a mean of 4 to 6.5 in "
                         "1 step; at most 50 % is allowed");
  EXPECT_EQ(met(-4, -5), ""); // Falls by 25 %.
}

TEST(LossNotDecreasing, ComparesStepsThatWereSaved) {
  // Of a run that saves every 20th step each window has one.
  FakeRun run({"LossNotDecreasing"});
  for (int step = 0; step <= 60; ++step) {
    const auto finding = step % 20 == 0
                             ? run.loss(step == 60 ? 1 : 9 - step / 10)
                             : run.step({{"x", {}, {1}}});
    EXPECT_FALSE(finding) << step;
  }
  for (int step = 61; step < 80; ++step)
    EXPECT_FALSE(run.step({{"x", {}, {1}}}));
  EXPECT_TRUE(run.loss(1));
}

/// Against the sentence of the page, for random losses at random steps.
TEST(LossNotDecreasing, IsWhatThePageSays) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(0.9, 1.1);
  int met = 0;
  for (int round = 0; round < 100; ++round) {
    FakeRun run({"LossNotDecreasing", {{"num_steps", "4"}}});
    std::vector<std::pair<int, double>> losses;
    int judged = -1;
    for (int step = 0; step < 40; ++step) {
      if (random() % 3 == 0) {
        run.step({{"x", {}, {1}}});
        continue;
      }
      const double loss = double(float(noise(random)));
      losses.emplace_back(step, loss);
      bool expected = false;
      if (judged < 0)
        judged = step;
      else if (step >= judged + 4) {
        judged = step;
        int last = -1; // The last one that is four steps behind.
        for (const auto &[at, value] : losses)
          if (at <= step - 4)
            last = at;
        const auto mean = [&](int from, int to) {
          double sum = 0;
          int count = 0;
          for (const auto &[at, value] : losses)
            if (from < at && at <= to) {
              sum += value;
              ++count;
            }
          return sum / count;
        };
        const double change =
            mean(step - 4, step) / mean(last - 4, last) * 100 - 100;
        expected = change > 5 || std::abs(change) < 0.1;
      }
      EXPECT_EQ(bool(run.loss(loss)), expected) << step;
      met += expected;
    }
  }
  EXPECT_GT(met, 20);
}

//===----------------------------------------------------------------------===//
// Overfit, Overtraining
//===----------------------------------------------------------------------===//

TEST(Overfit, ComparesMeansOfARound) {
  FakeRun run({"Overfit", {{"ratio_threshold", "0.5"}}});
  EXPECT_FALSE(run.loss(1, Mode::Eval)); // Nothing was trained yet.
  EXPECT_FALSE(run.loss(3));
  EXPECT_FALSE(run.loss(1));             // A mean of 2.
  EXPECT_FALSE(run.loss(3, Mode::Eval)); // 0.5
  EXPECT_EQ(run.loss(4, Mode::Eval)->message(),
            "Overfit is met at step 2 of EVAL (4 of all) by 'loss': the mean "
            "of validation is 3.5 and that of training 2: it is above by 0.75 "
            "of that, more than 0.5");
  EXPECT_FALSE(run.loss(4)); // A new round.
  EXPECT_FALSE(run.loss(4, Mode::Eval));
}

TEST(Overfit, HasPatience) {
  FakeRun run({"Overfit", {{"patience", "3"}}});
  run.loss(1);
  EXPECT_FALSE(run.loss(2, Mode::Eval));
  EXPECT_FALSE(run.loss(2, Mode::Eval));
  run.loss(1);
  const auto finding = run.loss(2, Mode::Eval);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->text.find("for 3 steps"), std::string::npos);
  run.loss(2);
  EXPECT_FALSE(run.loss(2, Mode::Eval)); // Not any more.
  run.loss(1);
  EXPECT_FALSE(run.loss(2, Mode::Eval));
}

TEST(Overtraining, WaitsForBothLosses) {
  FakeRun run({"Overtraining",
               {{"patience_train", "2"},
                {"patience_validation", "3"},
                {"delta", "0.5"}}});
  EXPECT_FALSE(run.loss(1));
  for (int i = 0; i < 9; ++i)
    EXPECT_FALSE(run.loss(1)); // No validation yet.
  EXPECT_FALSE(run.loss(1, Mode::Eval));
  EXPECT_FALSE(run.loss(0.5, Mode::Eval));  // Not better by more than 0.5.
  EXPECT_FALSE(run.loss(0.25, Mode::Eval)); // Better.
  EXPECT_FALSE(run.loss(0.25, Mode::Eval));
  EXPECT_FALSE(run.loss(0.25, Mode::Eval));
  EXPECT_EQ(run.loss(0.25, Mode::Eval)->text,
            "for 9 steps of training and 3 of validation no loss was below the "
            "best before, 1 and 0.25, by 0.5");
  EXPECT_FALSE(run.loss(0.25)); // Training gets better.
}

//===----------------------------------------------------------------------===//
// PoorWeightInitialization
//===----------------------------------------------------------------------===//

std::vector<FakeTensor> first(float loss, float spread, float gradient) {
  return {{"a", {"weights"}, {-1, 1}},
          {"b", {"weights"}, {-spread, spread}},
          {"scale", {"weights"}, {1, 1}},
          {"gradient/a", {"gradients"}, {-gradient, gradient}},
          {"loss", {"losses"}, {loss}}};
}

TEST(PoorWeightInitialization, IsMetByALossThatStaysAndItsCause) {
  FakeRun run({"PoorWeightInitialization", {{"threshold", "4"}}});
  for (int step = 0; step < 5; ++step)
    EXPECT_FALSE(run.step(first(3, 2.5f, 1))) << step;
  EXPECT_EQ(run.step(first(3, 2.5f, 1))->message(),
            "PoorWeightInitialization is met at step 5 of TRAIN by 'b': no "
            "loss has fallen for 5 steps, and the variance of b, 6.25, is 6.25 "
            "times that of a, more than 4");
}

TEST(PoorWeightInitialization, NeedsBoth) {
  FakeRun even({"PoorWeightInitialization", {{"threshold", "4"}}}),
      falling({"PoorWeightInitialization"}),
      narrow({"PoorWeightInitialization"});
  for (int step = 0; step < 20; ++step) {
    EXPECT_FALSE(even.step(first(3, 2, 1))); // 4, and wide gradients.
    EXPECT_FALSE(falling.step(first(3 - float(step) / 100, 9, 0)));
    // Only the first ten steps are looked at.
    const auto finding = narrow.step(first(3, 1, 0.0001f));
    EXPECT_EQ(bool(finding), 5 <= step && step < 10) << step;
    if (finding)
      EXPECT_EQ(finding->tensor, "gradient/a");
  }
}

} // namespace
