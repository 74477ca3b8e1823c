// SPDX-License-Identifier: Apache-2.0
// Rules that judge a tensor by numbers of one step.
#include "FakeRun.h"
#include <limits>

using namespace smp;
using namespace smp::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string textOf(const std::optional<Finding> &finding) {
  return finding ? finding->message() : "";
}

TEST(AllZero, IsMetByZerosAlone) {
  FakeRun run({"AllZero"});
  EXPECT_FALSE(run.step({{"g", {"gradients"}, {0, 1e-40f, 0}}}));
  EXPECT_FALSE(run.step({{"bias", {"biases"}, {0, 0}}}));
  EXPECT_EQ(textOf(run.step(
                {{"a", {"gradients"}, {1}}, {"x", {"inputs"}, {0, 0, -0.0f}}})),
            "AllZero is met at step 2 of TRAIN by 'x': all of its elements "
            "are 0");
  FakeRun chosen({"AllZero", {{"collection_names", "biases"}}});
  EXPECT_FALSE(chosen.step({{"g", {"gradients"}, {0}}}));
  EXPECT_TRUE(chosen.step({{"b", {"biases"}, {0}}}));
}

TEST(VanishingGradient, IsMetBelowItsThreshold) {
  FakeRun run({"VanishingGradient", {{"threshold", "0.25"}}});
  EXPECT_FALSE(run.step({{"g", {"gradients"}, {-0.5f, 0}}})); // 0.25
  EXPECT_FALSE(run.step({{"w", {"weights"}, {0}}}));
  EXPECT_EQ(textOf(run.step({{"g", {"gradients"}, {-0.25f, 0.125f}}})),
            "VanishingGradient is met at step 2 of TRAIN by 'g': the mean of "
            "its absolute elements is 0.1875, below 0.25");
  FakeRun usual({"VanishingGradient"});
  EXPECT_FALSE(usual.step({{"g", {"gradients"}, {1.01e-7f}}}));
  EXPECT_TRUE(usual.step({{"g", {"gradients"}, {0.99e-7f}}}));
  // Nobody trains in these.
  EXPECT_FALSE(usual.step({{"g", {"gradients"}, {0}}}, Mode::Eval));
}

TEST(ExplodingTensor, IsMetByWhatIsNotFinite) {
  FakeRun run({"ExplodingTensor"});
  EXPECT_FALSE(run.step(
      {{"g", {"gradients"}, {std::numeric_limits<float>::max(), -1}}}));
  EXPECT_EQ(textOf(run.step({{"g", {"gradients"}, {1, kNan, -kInf, kNan}}})),
            "ExplodingTensor is met at step 1 of TRAIN by 'g': 2 of 4 elements "
            "are NaN and 1 is infinite");
  EXPECT_EQ(run.step({{"w", {"weights"}, {1, -kInf}}})->text,
            "1 of 2 elements is infinite");
  // Masks.
  EXPECT_FALSE(run.step({{"scores", {"layers"}, {1, -kInf}}}));
  EXPECT_TRUE(run.step({{"scores", {"layers"}, {1, -kInf, kInf}}}));
  EXPECT_TRUE(run.step({{"scores", {"layers"}, {1, -kInf, kNan}}}));
  FakeRun nans({"ExplodingTensor", {{"only_nan", "true"}}});
  EXPECT_FALSE(nans.step({{"w", {"weights"}, {1, kInf}}}));
  EXPECT_TRUE(nans.step({{"w", {"weights"}, {1, kNan}}}));
}

TEST(TensorVariance, IsMetOutsideOfItsBounds) {
  FakeRun run({"TensorVariance",
               {{"min_threshold", "1"},
                {"max_threshold", "4"},
                {"tensor_regex", "^w"}}});
  EXPECT_FALSE(run.step({{"w", {}, {-1, 1}}})); // 1
  EXPECT_FALSE(run.step({{"w", {}, {-2, 2}}})); // 4
  EXPECT_FALSE(run.step({{"v", {}, {5, 5}}}));
  EXPECT_EQ(run.step({{"w", {}, {-0.5f, 0.5f}}})->text,
            "its variance is 0.25, below 1");
  EXPECT_EQ(run.step({{"w", {}, {-3, 3}}})->text, "its variance is 9, above 4");
}

TEST(StalledTraining, IsMetAboveItsThreshold) {
  FakeRun run({"StalledTraining"});
  run.silence = {.before = 1800};
  EXPECT_FALSE(run.loss(1));
  run.silence = {.before = 1801};
  const auto finding = run.loss(1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message(),
            "StalledTraining is met at step 1 of TRAIN: no tensor came for "
            "1801 seconds before it, more than 1800");
  run.silence = {.after = 5000};
  EXPECT_EQ(run.loss(1, Mode::Predict)->text,
            "no tensor came for 5000 seconds since it, more than 1800");
}

} // namespace
