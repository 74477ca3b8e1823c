// SPDX-License-Identifier: Apache-2.0
// Rules that compare a tensor with what it was.
#include "FakeRun.h"
#include <random>

using namespace smp;
using namespace smp::test;

namespace {

FakeTensor weight(std::vector<float> elements) {
  return {"w", {"weights"}, std::move(elements)};
}

TEST(UnchangedTensor, IsMetAtTheThirdStepWithoutAChange) {
  FakeRun run({"UnchangedTensor", {{"rtol", "0.25"}, {"atol", "1"}}});
  EXPECT_EQ(run.rule->earlierSteps(), 2u);
  EXPECT_FALSE(run.step({weight({4, 0})}));
  EXPECT_FALSE(run.step({weight({4, 0})}));
  // 1 + 4 / 4: the bound itself is close.
  const auto finding = run.step({weight({6, 1})});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message(),
            "UnchangedTensor is met at step 2 of TRAIN by 'w': none of its 2 "
            "elements has changed in 3 steps, since step 0 of TRAIN, by more "
            "than 1 + 0.25 of its size");
  EXPECT_FALSE(run.step({weight({6.5f, 1})})); // Far from the first of three.
}

TEST(UnchangedTensor, KnowsNaNs) {
  const float nan = std::nanf("");
  for (const bool equal : {false, true}) {
    FakeRun run(
        {"UnchangedTensor",
         {{"equal_nan", equal ? "true" : "false"}, {"num_steps", "2"}}});
    EXPECT_FALSE(run.step({weight({1, nan})}));
    EXPECT_EQ(bool(run.step({weight({1, nan})})), equal);
    EXPECT_FALSE(run.step({weight({nan, 1})}));
  }
}

TEST(UnchangedTensor, LooksAtTrainingAlone) {
  FakeRun run({"UnchangedTensor"});
  EXPECT_FALSE(run.step({weight({1})}));
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(run.step({weight({1})}, Mode::Eval));
  EXPECT_FALSE(run.step({weight({2})}));
}

TEST(UnchangedTensor, ZeroTolerancesMeanEveryBit) {
  FakeRun run({"UnchangedTensor",
               {{"rtol", "0"},
                {"atol", "0"},
                {"collection_names", "optimizer_variables"}}});
  const FakeTensor slot{"m", {"optimizer_variables"}, {1e-20f}},
      other{"m", {"optimizer_variables"}, {1.0001e-20f}};
  EXPECT_FALSE(run.step({slot}));
  EXPECT_FALSE(run.step({other}));
  EXPECT_FALSE(run.step({slot}));
  EXPECT_FALSE(run.step({slot}));
  EXPECT_TRUE(run.step({slot}));
}

TEST(WeightUpdateRatio, IsMetOutsideOfItsBounds) {
  FakeRun run(
      {"WeightUpdateRatio", {{"epsilon", "0"}, {"small_threshold", "0.25"}}});
  EXPECT_FALSE(run.step({weight({1, -1})}));
  EXPECT_FALSE(run.step({weight({11, 9})}));         // 10
  EXPECT_FALSE(run.step({weight({13.75f, 6.75f})})); // 0.25
  EXPECT_EQ(run.step({weight({13.75f, 6.5f})})->text,
            "its update since step 2 of TRAIN is 0.0122 of its size, below "
            "0.25");
  const auto finding = run.step({weight({250, -6.5f})});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->text, "its update since step 3 of TRAIN is 12.31 of its "
                           "size, above 10");
}

TEST(WeightUpdateRatio, LooksSoManyStepsBack) {
  FakeRun run({"WeightUpdateRatio", {{"num_steps", "2"}}});
  EXPECT_FALSE(run.step({weight({1})}));
  EXPECT_FALSE(run.step({weight({1})})); // Would be too small one step back.
  EXPECT_FALSE(run.step({weight({2})}));
  EXPECT_TRUE(run.step({weight({20})}));
}

/// Against the sentence of np.allclose, for random tensors and tolerances.
TEST(UnchangedTensor, IsNumpysAllclose) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  int met = 0;
  for (int round = 0; round < 300; ++round) {
    const double rtol = round % 3 * 0.5, atol = round % 2 * 0.5;
    FakeRun run(
        {"UnchangedTensor",
         {{"rtol", std::to_string(rtol)}, {"atol", std::to_string(atol)}}});
    std::vector<std::vector<float>> steps;
    for (int step = 0; step < 6; ++step) {
      steps.push_back({any(random), any(random)});
      bool expected = steps.size() >= 3;
      for (size_t back = 1; expected && back < 3; ++back)
        for (size_t i = 0; i < 2; ++i) {
          const double a = double(steps.back()[i]),
                       b = double(steps[steps.size() - 1 - back][i]);
          expected = expected && std::abs(a - b) <= atol + rtol * std::abs(b);
        }
      EXPECT_EQ(bool(run.step({weight(steps.back())})), expected);
      met += expected;
    }
  }
  EXPECT_GT(met, 20);
}

} // namespace
