// SPDX-License-Identifier: Apache-2.0
// Checked training: the op that made a NaN has the name that its model gave.

#include "TrainingRun.h"
#include "smp/model/Philox.h"
#include <cmath>
#include <limits>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 4, kWidth = 8, kMicrobatches = 2;

/// The mean logarithm of x w, in three scopes on up to three partitions.
StatusOr<Model> logarithms(int64_t partitions, DType precision,
                           double learningRate) {
  GraphBuilder g("logarithms", 3);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  {
    auto place = partition(0);
    auto scope = g.scope("dense");
    x = g.matmul(x, g.parameter("w", {DType::F32, {kWidth, kWidth}},
                                InitialValue::ones()));
  }
  {
    auto place = partition(partitions / 2);
    auto scope = g.scope("head");
    x = g.log(x);
  }
  Tensor loss;
  {
    auto place = partition(partitions - 1);
    loss = g.mean(
        x * g.parameter("scale", {DType::F32, {kWidth}}, InitialValue::ones()));
  }
  Optimizer o;
  o.kind = OptimizerKind::AdamW;
  o.learningRate = learningRate;
  g.train(loss, o);
  g.microbatches(kMicrobatches);
  g.precision(precision);
  return std::move(g).finish();
}

HostTensor batch(float value) {
  HostTensor x =
      HostTensor::zeros({DType::F32, {kMicrobatches * kRows, kWidth}});
  for (float &element : x.as<float>())
    element = value;
  return x;
}

Split splitOf(int64_t partitions, CheckNumerics what = CheckNumerics::Nan,
              const std::string &devices = {}) {
  Split split{partitions, passes::PartitionMode::Manual};
  split.devices = devices;
  split.checkNumerics = what;
  return split;
}

class NumericsTest : public testing::TestWithParam<int64_t> {};

TEST_P(NumericsTest, NamesTheOpAndChangesNothing) {
  for (const std::string driver : {"cpu", "null"}) {
    std::string devices;
    for (int64_t i = 0; i < GetParam(); ++i)
      devices += (i ? "," : "") + driver + ":" + std::to_string(i);
    auto opened =
        TrainingRun::open(logarithms(GetParam(), DType::F32, 0.01),
                          splitOf(GetParam(), CheckNumerics::Nan, devices));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    TrainingRun run = opened.take();
    HostTensor x = batch(1);
    ASSERT_TRUE(run.step("train", {{"x", x}}).ok());
    const auto before = run.variables();
    // Row 1 of the second microbatch: a negative sum.
    for (size_t i = 0; i < kWidth; ++i)
      x.as<float>()[(kRows + 1) * kWidth + i] = -1;
    auto failed = run.step("train", {{"x", x}});
    ASSERT_FALSE(failed.ok());
    const std::string message = failed.status().message();
    EXPECT_TRUE(message.starts_with("entry 'train', microbatch 1: op '"))
        << message;
    EXPECT_NE(message.find("'head/log'"), std::string::npos) << message;
    EXPECT_NE(message.find(" gave NaN at element 8 of 32 (f32, stage 'train"),
              std::string::npos)
        << message;
    EXPECT_EQ(run.variables(), before);
    EXPECT_TRUE(run.step("train", {{"x", batch(2)}}).ok());
    EXPECT_NE(run.variables(), before);
  }
}

/// What is found by a check is what there is without one.
TEST_P(NumericsTest, ChangesNoNumber) {
  std::vector<std::map<std::string, std::vector<std::byte>>> ends;
  for (CheckNumerics what :
       {CheckNumerics::Off, CheckNumerics::Nan, CheckNumerics::NanAndInf}) {
    auto opened = TrainingRun::open(logarithms(GetParam(), DType::F32, 0.01),
                                    splitOf(GetParam(), what));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    TrainingRun run = opened.take();
    for (float value : {1.f, 0.5f, 3.f})
      ASSERT_TRUE(run.step("train", {{"x", batch(value)}}).ok());
    ends.push_back(run.variables());
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST_P(NumericsTest, NamesTheVariableThatHadIt) {
  auto opened = TrainingRun::open(logarithms(GetParam(), DType::F32, 0.01),
                                  splitOf(GetParam()));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  TrainingRun run = opened.take();
  HostTensor scale = run.variable("scale");
  scale.as<float>()[5] = std::nanf("");
  ASSERT_TRUE(run.running()
                  .setVariable("scale", {DType::F32, scale.type.shape,
                                         scale.bytes.data()})
                  .ok());
  auto failed = run.step("train", {{"x", batch(1)}});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().message().find(
                "variable 'scale', which has NaN at element 5"),
            std::string::npos)
      << failed.status().message();
}

INSTANTIATE_TEST_SUITE_P(Partitions, NumericsTest, testing::Values(1, 2, 3));

/// Products of 16 bits: a NaN of bf16 is seen, f16's overflow of scaled
/// gradients is the program's business.
TEST(NumericsOf16Bits, AreChecked) {
  auto opened = TrainingRun::open(logarithms(1, DType::BF16, 0.01), splitOf(1));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  TrainingRun run = opened.take();
  ASSERT_TRUE(run.step("train", {{"x", batch(1)}}).ok());
  HostTensor x = batch(1);
  x.as<float>()[3] = std::nanf("");
  auto failed = run.step("train", {{"x", x}});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().message().find("bf16"), std::string::npos)
      << failed.status().message();
  EXPECT_NE(failed.status().message().find("input 'x'"), std::string::npos)
      << failed.status().message();
}

TEST(NumericsOf16Bits, ScaledGradientsMayOverflow) {
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {2, 4}}, 0);
  Tensor w = g.parameter("w", {DType::F32, {4, 4}}, InitialValue::ones());
  g.train(g.sum(g.matmul(x, w)), {});
  g.precision(DType::F16);
  auto opened = TrainingRun::open(std::move(g).finish(),
                                  splitOf(1, CheckNumerics::NanAndInf));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  TrainingRun run = opened.take();
  const HostTensor ones = [] {
    HostTensor x = HostTensor::zeros({DType::F32, {2, 4}});
    for (float &element : x.as<float>())
      element = 1;
    return x;
  }();
  ASSERT_TRUE(run.step("train", {{"x", ones}}).ok()); // Scaled by 2^16.
  EXPECT_EQ(run.variable("w").as<float>()[0], 1);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(run.step("train", {{"x", ones}}).ok());
  EXPECT_LT(run.variable("w").as<float>()[0], 1);
}

/// What is masked with -infinity is legal, and no NaN comes of it.
TEST(NumericsOfMasks, AreNoAlarm) {
  const TensorType type{DType::F32, {2, 8, 4}}, square{DType::I32, {8, 8}};
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", type, 0);
  Tensor w =
      g.parameter("w", {DType::F32, {4, 4}}, InitialValue::normal(0, 0.5));
  Tensor y = g.matmul(x, w);
  Tensor scores = g.matmul(y, g.transpose(x, {0, 2, 1}));
  Tensor isBefore =
      g.compare(Comparison::LessEqual, g.iota(square, 1), g.iota(square, 0));
  scores = g.select(g.broadcast(isBefore, scores.shape()), scores,
                    -std::numeric_limits<double>::infinity());
  y = g.matmul(g.softmax(scores), y);
  g.train(g.mean(y * y), {});
  auto opened = TrainingRun::open(std::move(g).finish(), splitOf(1));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  TrainingRun run = opened.take();
  HostTensor values = HostTensor::zeros(type);
  fillNormal(values.bytes, DType::F32, 0, 1, 5);
  for (int i = 0; i < 3; ++i) {
    auto stepped = run.step("train", {{"x", values}});
    ASSERT_TRUE(stepped.ok()) << stepped.status().message();
  }
}

} // namespace
