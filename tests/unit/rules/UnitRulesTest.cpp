// SPDX-License-Identifier: Apache-2.0
// Rules on units of a layer that are not active.
#include "FakeRun.h"

using namespace smp;
using namespace smp::test;

namespace {

/// 100 rows of 4 units, of which `dead` are active in so many rows.
FakeTensor relu(size_t dead, size_t rows, const std::string &name = "relu1") {
  FakeTensor tensor{name, {"layers"}, std::vector<float>(400, 1), {100, 4}};
  for (size_t row = 0; row < 100; ++row)
    for (size_t unit = 0; unit < dead; ++unit)
      tensor.elements[row * 4 + unit] = row < rows ? 1 : 0;
  return tensor;
}

TEST(DeadRelu, IsMetByMoreThanHalfOfALayer) {
  FakeRun run({"DeadRelu"});
  EXPECT_FALSE(run.step({relu(2, 0)})); // Half of them.
  EXPECT_FALSE(run.step({relu(4, 1)})); // 1 % is active enough.
  EXPECT_FALSE(run.step({relu(4, 0, "tanh")}));
  FakeTensor gradient = relu(4, 0, "gradient/relu/weight");
  gradient.collections = {"gradients"};
  EXPECT_FALSE(run.step({gradient}));
  const auto finding = run.step({relu(0, 0), relu(3, 0, "block/ReLU")});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message(),
            "DeadRelu is met at step 4 of TRAIN by 'block/ReLU': 3 of 4 units "
            "(75 %, above 50) are between 0 and inf for less than 1 % of "
            "their values");
}

TEST(DeadRelu, UnitsAreAlongAnAxis) {
  // Two images of two channels of 2 x 2; the first channel is dead.
  const FakeTensor images{"relu",
                          {"layers"},
                          {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1},
                          {2, 2, 2, 2}};
  FakeRun rows({"DeadRelu", {{"threshold_layer", "49"}}});
  EXPECT_FALSE(rows.step({images}));
  FakeRun channels(
      {"DeadRelu", {{"threshold_layer", "49"}, {"unit_axis", "-3"}}});
  EXPECT_TRUE(channels.step({images}));
  // Of fewer dimensions there is one unit.
  EXPECT_FALSE(channels.step({{"relu", {}, {0, 1}}}));
  EXPECT_TRUE(channels.step({{"relu", {}, {0, 0}}}));
}

TEST(SaturatedActivation, KnowsBothActivations) {
  FakeRun run({"SaturatedActivation"});
  const auto is = [&](const char *name, float element) {
    return bool(run.step({{name, {"layers"}, {element}, {1, 1}}}));
  };
  EXPECT_FALSE(is("tanh_input", 9.4998f));
  EXPECT_TRUE(is("tanh_input", 9.5f));
  EXPECT_TRUE(is("tanh_input", -9.5f));
  EXPECT_FALSE(is("sigmoid_input", 16.9f));
  EXPECT_TRUE(is("sigmoid_input", 17));
  EXPECT_FALSE(is("sigmoid_input", -22.9f));
  EXPECT_TRUE(is("sigmoid_input", -23));
  EXPECT_FALSE(is("other_input", 100));
}

TEST(SaturatedActivation, TakesRegexesAndBounds) {
  FakeRun run({"SaturatedActivation",
               {{"tanh_regex", "^h$"},
                {"threshold_tanh_min", "0"},
                {"threshold_tanh_max", "2"}}});
  EXPECT_FALSE(run.step({{"h", {"layers"}, {1}, {1, 1}}}));
  EXPECT_TRUE(run.step({{"h", {"layers"}, {2}, {1, 1}}}));
  EXPECT_TRUE(run.step({{"h", {"layers"}, {-1}, {1, 1}}}));
}

} // namespace
