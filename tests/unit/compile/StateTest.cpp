// SPDX-License-Identifier: Apache-2.0
// Variables that microbatches change: in order, wherever the ops are, and as
// they were after a step that fails.

#include "TrainingRun.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/model/Philox.h"
#include <cmath>

using namespace smp;
using namespace smp::test;
using passes::PartitionMode;

namespace {

HostTensor normal(Shape shape, uint64_t seed, double mean = 0,
                  double deviation = 1) {
  HostTensor tensor = HostTensor::zeros({DType::F32, std::move(shape)});
  fillNormal(tensor.bytes, DType::F32, mean, deviation, seed);
  return tensor;
}

HostTensor indices(std::vector<int64_t> values) {
  HostTensor tensor = HostTensor::zeros({DType::I64, {int64_t(values.size())}});
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

Optimizer momentum(double rate) {
  Optimizer optimizer;
  optimizer.kind = OptimizerKind::Momentum;
  optimizer.learningRate = rate;
  return optimizer;
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

constexpr int64_t kBatch = 4, kFeatures = 3, kSide = 6, kMicrobatches = 3;
const Shape kImages{kBatch, kFeatures, kSide, kSide};

/// Normalised images through a convolution, with a vector per image that is
/// looked up: a step may fail by that. Pinned to two partitions.
Tensor classify(GraphBuilder &g) {
  Tensor x;
  {
    auto scope = partition(0);
    x = g.input("x", {DType::F32, kImages}, 0);
    x = layers::batchNorm(g, x, "first", {.momentum = 0.25});
    g.output("normal", x, 0);
    x = layers::conv2d(g, x, 5, 3, "conv", {.padding = 1, .bias = false});
  }
  auto scope = partition(1);
  x = g.relu(layers::batchNorm(g, x, "second"));
  Tensor looked = layers::embedding(
      g, g.input("index", {DType::I64, {kBatch}}, 0), 4, 5, "table");
  x = g.add(g.mean(x, {2, 3}), looked);
  return layers::linear(g, x, 4, "head");
}

StatusOr<Model> buildNormalised() {
  GraphBuilder g("normalised", 11);
  g.beginEntry("train", EntryMode::Train);
  Tensor logits = classify(g);
  Tensor target = g.input("target", {DType::I64, {kBatch}}, 0);
  {
    auto scope = partition(1);
    g.train(losses::crossEntropy(g, logits, target), momentum(0.1));
  }
  g.microbatches(kMicrobatches);
  g.beginEntry("eval", EntryMode::Eval);
  g.output("logits", classify(g), 0);
  return std::move(g).finish();
}

using Inputs = std::vector<std::pair<std::string, HostTensor>>;

Inputs batch(uint64_t seed) {
  const int64_t count = kBatch * kMicrobatches;
  std::vector<int64_t> index, target;
  for (int64_t i = 0; i < count; ++i) {
    index.push_back(int64_t((seed + uint64_t(i)) % 4));
    target.push_back(int64_t((seed + uint64_t(i) * 3) % 4));
  }
  return {{"x", normal({count, kFeatures, kSide, kSide}, seed, 0.5, 2)},
          {"index", indices(index)},
          {"target", indices(target)}};
}

/// What is known of one feature.
struct Statistics {
  double mean = 0, variance = 1;
};

/// Of the images of one microbatch; the variance is biased.
Statistics statisticsOf(const HostTensor &images, int64_t microbatch,
                        int64_t feature) {
  const int64_t plane = kSide * kSide, count = kBatch * plane;
  auto visit = [&](auto function) {
    for (int64_t i = 0; i < kBatch; ++i)
      for (int64_t k = 0; k < plane; ++k)
        function(double(images.as<float>()[size_t(
            ((microbatch * kBatch + i) * kFeatures + feature) * plane + k)]));
  };
  Statistics result{0, 0};
  visit([&](double x) { result.mean += x / double(count); });
  visit([&](double x) {
    result.variance += (x - result.mean) * (x - result.mean) / double(count);
  });
  return result;
}

TEST(BatchNormTest, RunningValuesFollowEachMicrobatchInOrder) {
  auto run = TrainingRun::open(buildNormalised(), {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  std::vector<Statistics> expected(kFeatures);
  const double count = kBatch * kSide * kSide;
  for (uint64_t step = 0; step < 2; ++step) {
    Inputs inputs = batch(step);
    auto result = run->step("train", inputs);
    ASSERT_TRUE(result.ok()) << result.status().message();
    const HostTensor &normalised = result->at("normal");
    for (int64_t m = 0; m < kMicrobatches; ++m)
      for (int64_t f = 0; f < kFeatures; ++f) {
        Statistics now = statisticsOf(inputs[0].second, m, f);
        Statistics &running = expected[size_t(f)];
        running.mean += 0.25 * (now.mean - running.mean);
        running.variance +=
            0.25 * (now.variance * count / (count - 1) - running.variance);
        Statistics after = statisticsOf(normalised, m, f);
        // In the second step weight and bias have moved, but little.
        EXPECT_NEAR(after.mean, 0, step ? 0.1 : 1e-6);
        EXPECT_NEAR(after.variance, 1, step ? 0.2 : 1e-4);
      }
  }
  HostTensor mean = run->variable("first/running_mean");
  HostTensor variance = run->variable("first/running_var");
  for (size_t f = 0; f < size_t(kFeatures); ++f) {
    EXPECT_NEAR(mean.as<float>()[f], expected[f].mean, 1e-5);
    EXPECT_NEAR(variance.as<float>()[f], expected[f].variance, 1e-5);
  }
}

TEST(BatchNormTest, OtherEntriesNormaliseWithRunningValuesAndKeepThem) {
  auto run = TrainingRun::open(buildNormalised(), {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_TRUE(run->step("train", batch(1)).ok());
  const auto before = run->variables();
  Inputs inputs = batch(2);
  auto result = run->step("eval", {inputs[0], inputs[1]});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(run->variables(), before);
  auto first = [&](const char *name) {
    return double(run->variable(name).as<float>()[0]);
  };
  const double factor =
      first("first/weight") / std::sqrt(first("first/running_var") + 1e-5);
  EXPECT_NEAR(
      result->at("normal").as<float>()[0],
      (double(inputs[0].second.as<float>()[0]) - first("first/running_mean")) *
              factor +
          first("first/bias"),
      1e-5);
}

TEST(BatchNormTest, OneValuePerFeatureIsRefused) {
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  g.output("y", layers::batchNorm(g, g.input("x", {DType::F32, {1, 3}}), "bn"));
  EXPECT_EQ(std::move(g).finish().status().message(),
            "bn: normalises a batch that is a f32[1x3]: one value per feature "
            "to learn from, where 2 are needed");
}

//===----------------------------------------------------------------------===//
// However the model is split
//===----------------------------------------------------------------------===//

struct Trained {
  std::vector<std::vector<std::byte>> losses;
  std::map<std::string, std::vector<std::byte>> variables;
  bool operator==(const Trained &) const = default;
};

Trained trainNormalised(const Split &split) {
  Trained trained;
  auto run = TrainingRun::open(buildNormalised(), split);
  EXPECT_TRUE(run.ok()) << run.status().message();
  for (uint64_t step = 0; run.ok() && step < 3; ++step) {
    auto result = run->step("train", batch(step));
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (result.ok())
      trained.losses.push_back(result->at("loss").bytes);
  }
  if (run.ok())
    trained.variables = run->variables();
  return trained;
}

/// Trained on one partition.
const Trained &trainedWhole() {
  static const Trained whole = trainNormalised({});
  return whole;
}

TEST(BatchNormTest, SplitsGiveTheSameBits) {
  const Trained &whole = trainedWhole();
  EXPECT_EQ(whole.losses.size(), 3u);
  for (PipelineKind pipeline :
       {PipelineKind::Simple, PipelineKind::Interleaved}) {
    EXPECT_EQ(whole, trainNormalised({2, PartitionMode::Manual, pipeline}));
    EXPECT_EQ(whole,
              trainNormalised({3, PartitionMode::IgnoreAnnotations, pipeline}));
  }
}

//===----------------------------------------------------------------------===//
// Steps that fail
//===----------------------------------------------------------------------===//

/// Makes the last microbatch look something up that is not there.
Inputs spoiled(Inputs inputs) {
  reinterpret_cast<int64_t *>(
      inputs[1].second.bytes.data())[kBatch * kMicrobatches - 1] = 4;
  return inputs;
}

class FailedStep : public testing::TestWithParam<Split> {};

TEST_P(FailedStep, LeavesVariablesAsTheyWere) {
  auto run = TrainingRun::open(buildNormalised(), GetParam());
  ASSERT_TRUE(run.ok()) << run.status().message();
  auto refuse = [&](uint64_t seed) {
    auto failed = run->step("train", spoiled(batch(seed)));
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.status().message().find("index 4 is out of range"),
              std::string::npos)
        << failed.status().message();
  };
  const auto atFirst = run->variables();
  refuse(7);
  EXPECT_EQ(run->variables(), atFirst);
  for (uint64_t step = 0; step < 3; ++step) {
    ASSERT_TRUE(run->step("train", batch(step)).ok());
    const auto before = run->variables();
    refuse(step + 8);
    // A step that cannot begin puts nothing back that is not there any more.
    EXPECT_FALSE(run->step("train", {}).ok());
    EXPECT_EQ(run->variables(), before);
    refuse(step + 8); // The next step begins with the same values.
  }
  EXPECT_EQ(run->variables(), trainedWhole().variables);
}

INSTANTIATE_TEST_SUITE_P(
    Splits, FailedStep,
    testing::Values(Split{},
                    Split{2, PartitionMode::Manual, PipelineKind::Simple},
                    Split{2, PartitionMode::Manual, PipelineKind::Interleaved},
                    Split{2, PartitionMode::Manual, PipelineKind::Interleaved,
                          "null:0,null:1"}));

TEST(StateTest, ValuesThatAreSetAfterAFailureStay) {
  auto run = TrainingRun::open(buildNormalised(), {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_TRUE(run->step("train", batch(1)).ok());
  ASSERT_FALSE(run->step("train", spoiled(batch(2))).ok());
  HostTensor mean = normal({kFeatures}, 3);
  ASSERT_TRUE(run->running()
                  .setVariable("first/running_mean",
                               {DType::F32, mean.type.shape, mean.bytes.data()})
                  .ok());
  EXPECT_EQ(run->variable("first/running_mean").bytes, mean.bytes);
}

//===----------------------------------------------------------------------===//
// Reads in several stages and phases
//===----------------------------------------------------------------------===//

/// The loss is the mean of (w x s)^2; the state s becomes s / 2 + mean(exp(x)).
/// The gradient of w needs the s of the microbatch, and what s becomes waits
/// for another partition.
StatusOr<Model> buildHalving() {
  GraphBuilder g("halving", 5);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {2, 3}}, 0), y, average;
  VariableRef s;
  {
    auto scope = partition(0);
    s = g.variable("s", {DType::F32, {3}}, InitialValue::ones(),
                   VariableRole::State);
    Tensor w = g.parameter("w", {DType::F32, {3}}, InitialValue::ones());
    y = g.mul(g.mul(x, w), g.read(s));
  }
  {
    auto scope = partition(1);
    average = g.mean(g.exp(x), {0});
    g.train(g.mean(g.mul(y, y)), momentum(0.1));
  }
  auto scope = partition(0);
  g.assign(s, g.add(g.mul(g.read(s), 0.5), average));
  g.microbatches(5);
  return std::move(g).finish();
}

TEST(StateTest, EveryPartOfAMicrobatchReadsTheSame) {
  // In plain C++, in double.
  const HostTensor x = normal({10, 3}, 1);
  double s[3] = {1, 1, 1}, gradient[3] = {};
  for (size_t m = 0; m < 5; ++m)
    for (size_t k = 0; k < 3; ++k) {
      double average = 0;
      for (size_t i = 0; i < 2; ++i) {
        const double value = double(x.as<float>()[(m * 2 + i) * 3 + k]);
        gradient[k] += 2 * value * value * s[k] * s[k] / 6 / 5;
        average += std::exp(value) / 2;
      }
      s[k] = s[k] / 2 + average;
    }
  std::map<std::string, std::vector<std::byte>> whole;
  for (Split split : {Split{}, Split{2, PartitionMode::Manual},
                      Split{2, PartitionMode::Manual, PipelineKind::Simple}}) {
    auto run = TrainingRun::open(buildHalving(), split);
    ASSERT_TRUE(run.ok()) << run.status().message();
    auto result = run->step("train", {{"x", x}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(run->variable("s").as<float>()[k], s[k], 1e-5);
      EXPECT_NEAR(run->variable("w").as<float>()[k], 1 - 0.1 * gradient[k],
                  1e-5);
    }
    if (whole.empty())
      whole = run->variables();
    EXPECT_EQ(run->variables(), whole);
  }
}

} // namespace
