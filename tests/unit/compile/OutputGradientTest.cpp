// SPDX-License-Identifier: Apache-2.0
// Gradients of values between the parameters and the loss are shown as those of
// what is added to the values.

#include "TrainingRun.h"
#include "smp/capture/Hook.h"
#include "smp/model/Philox.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 6, kWidth = 16, kMicrobatches = 3;
constexpr uint64_t kSeed = 5;

/// To each named value a parameter of its shape is added, whose gradient is
/// that of the sum. `inner` is used twice, `turned` is a view of it.
Tensor shifted(GraphBuilder &g, const Tensor &value, const std::string &name) {
  const Tensor shift =
      g.parameter("shift_" + name, {DType::F32, value.type().shape},
                  InitialValue::normal(0, 0.1));
  return g.named(g.add(value, shift), name);
}

StatusOr<Model> buildShifted() {
  GraphBuilder g("shifted", kSeed);
  g.beginEntry("train", EntryMode::Train);
  const Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  const Tensor w = g.parameter("w", {DType::F32, {kWidth, kWidth}},
                               InitialValue::normal(0, 0.3));
  const Tensor inner = shifted(g, g.matmul(x, w), "inner");
  const Tensor outer = shifted(g, g.tanh(inner) * inner, "outer");
  Optimizer optimizer;
  optimizer.learningRate = 0.125;
  g.train(g.mean(outer * outer), optimizer);
  g.microbatches(kMicrobatches);
  return std::move(g).finish();
}

std::vector<float> lastOf(const Hook &hook, const std::string &name) {
  const std::vector<CapturedValue> values = hook.values(name);
  return values.empty() ? std::vector<float>() : floatsOf(values.back().bytes);
}

class OutputGradient : public testing::TestWithParam<int64_t> {};

TEST_P(OutputGradient, IsThatOfWhatIsAdded) {
  Split split{.partitions = GetParam(), .canBeWatched = true};
  auto run = TrainingRun::open(buildShifted(), split);
  ASSERT_TRUE(run.ok()) << run.status().message();
  Hook hook({.saveConfig = {{.saveInterval = 1}}});
  for (const char *name : {"inner", "outer"})
    for (const std::string &each : {std::string("gradient/shift_") + name,
                                    std::string("output_gradient/") + name})
      ASSERT_TRUE(hook.addToCollection("mine", each).ok());
  const Status attached = hook.attach(run->running());
  ASSERT_TRUE(attached.ok()) << attached.message();
  HostTensor x =
      HostTensor::zeros({DType::F32, {kMicrobatches * kRows, kWidth}});
  fillNormal(x.bytes, DType::F32, 0, 1, kSeed);
  ASSERT_TRUE(run->step("train", {{"x", x}}).ok());
  for (const std::string name : {"inner", "outer"}) {
    const auto mean = lastOf(hook, "gradient/shift_" + name),
               each = lastOf(hook, "output_gradient/" + name);
    ASSERT_EQ(mean.size(), size_t(kRows * kWidth)) << name;
    ASSERT_EQ(each.size(), mean.size() * kMicrobatches) << name;
    double squares = 0;
    for (size_t i = 0; i < mean.size(); ++i) {
      double sum = 0;
      for (size_t m = 0; m < size_t(kMicrobatches); ++m)
        sum += double(each[m * mean.size() + i]);
      EXPECT_NEAR(mean[i], sum / kMicrobatches, 1e-6) << name << " at " << i;
      squares += double(mean[i]) * mean[i];
    }
    EXPECT_GT(squares, 1e-4) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, OutputGradient, testing::Values(1, 2));

} // namespace
