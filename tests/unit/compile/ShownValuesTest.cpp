// SPDX-License-Identifier: Apache-2.0
// Of which moment of a step shown values are: parameters as it reads them,
// optimizer variables as it leaves them, gradients before they are clipped.

#include "TrainingRun.h"
#include "smp/capture/Hook.h"
#include "smp/model/Philox.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 3, kWidth = 4, kMicrobatches = 2;
constexpr double kClip = 0.5, kMomentum = 0.9;
constexpr const char *kGradient = "gradient/w";
constexpr const char *kSlot = "optimizer/momentum/w";

/// The loss is the sum of the squares of x times w.
StatusOr<Model> buildSquares() {
  GraphBuilder g("squares", 7);
  g.beginEntry("train", EntryMode::Train);
  const Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  const Tensor y =
      x * g.parameter("w", {DType::F32, {kWidth}}, InitialValue::ones());
  Optimizer optimizer;
  optimizer.kind = OptimizerKind::Momentum;
  optimizer.learningRate = 0.1;
  optimizer.momentum = kMomentum;
  optimizer.clipNorm = kClip;
  g.train(g.sum(y * y), optimizer);
  g.microbatches(kMicrobatches);
  return std::move(g).finish();
}

/// A training of which each step is looked at before it, in it and after it.
class ShownValues : public testing::Test {
protected:
  using Variables = std::map<std::string, std::vector<std::byte>>;

  void SetUp() override {
    auto opened =
        TrainingRun::open(buildSquares(), Split{.canBeWatched = true});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    run.emplace(opened.take());
    for (const char *name : {"w", kGradient, kSlot})
      ASSERT_TRUE(hook.addToCollection("mine", name).ok());
    const Status attached = hook.attach(run->running());
    ASSERT_TRUE(attached.ok()) << attached.message();
  }

  void step(uint64_t number) {
    x = HostTensor::zeros({DType::F32, {kMicrobatches * kRows, kWidth}});
    fillNormal(x.bytes, DType::F32, 0, 1, number + 1);
    before = run->variables();
    const auto output = run->step("train", {{"x", x}});
    ASSERT_TRUE(output.ok()) << output.status().message();
    norm = output->at("gradient_norm").as<float>()[0];
    after = run->variables();
    for (const char *name : {"w", kGradient, kSlot}) {
      const std::vector<CapturedValue> values = hook.values(name);
      ASSERT_EQ(values.size(), number + 1) << name;
      shown[name] = values.back().bytes;
    }
  }

  std::optional<TrainingRun> run;
  Hook hook{{.saveConfig = {{.saveInterval = 1}}}};
  HostTensor x;                   ///< Of the last step.
  Variables before, shown, after; ///< The same.
  double norm = 0;                ///< Of its gradient.
};

TEST_F(ShownValues, ParametersAreThoseThatTheStepReads) {
  for (uint64_t number = 0; number < 3; ++number) {
    ASSERT_NO_FATAL_FAILURE(step(number));
    EXPECT_EQ(shown["w"], before["w"]);
    EXPECT_NE(shown["w"], after["w"]);
  }
}

TEST_F(ShownValues, SlotsAreThoseThatTheStepLeaves) {
  for (uint64_t number = 0; number < 3; ++number) {
    ASSERT_NO_FATAL_FAILURE(step(number));
    EXPECT_EQ(shown[kSlot], after[kSlot]);
    EXPECT_NE(shown[kSlot], before[kSlot]);
  }
}

/// d(loss)/dw is 2 x^2 w, and the mean of the microbatches is taken.
TEST_F(ShownValues, GradientsAreThoseBeforeClipping) {
  for (uint64_t number = 0; number < 3; ++number) {
    ASSERT_NO_FATAL_FAILURE(step(number));
    const std::vector<float> w = floatsOf(before["w"]),
                             old = floatsOf(before[kSlot]),
                             left = floatsOf(after[kSlot]),
                             gradient = floatsOf(shown[kGradient]);
    ASSERT_EQ(gradient.size(), size_t(kWidth));
    double squares = 0;
    for (size_t column = 0; column < size_t(kWidth); ++column) {
      double wanted = 0;
      for (size_t at = column; at < x.as<float>().size(); at += size_t(kWidth))
        wanted += double(x.as<float>()[at]) * x.as<float>()[at];
      wanted *= 2.0 * w[column] / kMicrobatches;
      EXPECT_NEAR(gradient[column], wanted, 1e-5 * std::abs(wanted));
      squares += wanted * wanted;
    }
    EXPECT_NEAR(norm, std::sqrt(squares), 1e-5 * norm);
    ASSERT_GT(norm, 2 * kClip);
    for (size_t column = 0; column < size_t(kWidth); ++column)
      EXPECT_NEAR(left[column],
                  kMomentum * old[column] + gradient[column] * kClip / norm,
                  1e-5)
          << "step " << number << ", column " << column;
  }
}

} // namespace
