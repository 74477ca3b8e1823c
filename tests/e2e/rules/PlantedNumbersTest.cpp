// SPDX-License-Identifier: Apache-2.0
// Faults in how gradients and slots are computed, and a NaN in one microbatch.
#include "Classifier.h"
#include "WatchedRun.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/import/Partition.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// A chain of `depth` layers of one width, each with `activation`, trained by
/// SGD.
StatusOr<Model> buildChain(int depth, double deviation,
                           Tensor (GraphBuilder::*activation)(const Tensor &)) {
  GraphBuilder g("chain", /*seed=*/3);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  layers::LinearOptions options;
  options.weightValue = InitialValue::normal(0, deviation);
  for (int i = 0; i < depth; ++i)
    x = (g.*activation)(
        layers::linear(g, x, kWidth, "layer" + std::to_string(i), options));
  Tensor loss =
      losses::crossEntropy(g, layers::linear(g, x, kClasses, "scores"),
                           g.input("classes", {DType::I64, {kRows}}, 0));
  g.output("loss", loss, JoinBy::Mean);
  g.train(loss, {.kind = OptimizerKind::Sgd, .learningRate = 1e-2});
  g.microbatches(kMicrobatches);
  return std::move(g).finish();
}

std::string firstOf(StatusOr<Model> model) {
  WatchedRun run(std::move(model));
  run.step("train", Points(1).inputs());
  return run.first();
}

TEST(PlantedNumbers, VanishingGradients) {
  const std::string first =
      firstOf(buildChain(10, 0.1, &GraphBuilder::sigmoid));
  EXPECT_TRUE(first.starts_with("VanishingGradient is met at step 0 of TRAIN "
                                "by 'gradient/layer0/weight'"))
      << first;
}

TEST(PlantedNumbers, ExplodingGradients) {
  // What goes forward is between -1 and 1; gradients grow from layer to layer.
  // The one of a value comes before those of the parameters that made it.
  const std::string first = firstOf(buildChain(24, 100, &GraphBuilder::sin));
  EXPECT_TRUE(first.starts_with("ExplodingTensor is met at step 0 of TRAIN by "
                                "'output_gradient/sin_"))
      << first;
}

/// The second of two partitions takes the logarithm of an input.
StatusOr<Model> buildLogarithm() {
  GraphBuilder g("logarithm", /*seed=*/3);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  Tensor size = g.input("size", {DType::F32, {kRows, 1}}, 0);
  Tensor classes = g.input("classes", {DType::I64, {kRows}}, 0);
  Tensor loss;
  {
    PartitionScope first = partition(0);
    x = g.relu(layers::linear(g, x, 32, "first"));
  }
  {
    PartitionScope second = partition(1);
    x = x * g.named(g.log(size), "log_size");
    loss = losses::crossEntropy(g, layers::linear(g, x, kClasses, "scores"),
                                classes);
  }
  g.output("loss", loss, JoinBy::Mean);
  g.train(loss, {.kind = OptimizerKind::Sgd, .learningRate = 1e-2});
  g.microbatches(kMicrobatches);
  return std::move(g).finish();
}

TEST(PlantedNumbers, ANanInOneMicrobatchOfOneStage) {
  WatchedRun run(buildLogarithm(), /*partitions=*/2);
  Points points(1);
  std::vector<float> sizes(size_t(kRows * kMicrobatches), 2);
  const int64_t dims[] = {kRows * kMicrobatches, 1};
  for (int step = 0; step < 6 && run.findings().empty(); ++step) {
    points.draw();
    sizes[size_t(2 * kRows + 5)] = step == 4 ? -1.0f : 2.0f;
    auto inputs = points.inputs();
    inputs.push_back({"size", {DType::F32, dims, sizes.data()}});
    run.step("train", inputs);
  }
  const std::string first = run.first(),
                    expected = "ExplodingTensor is met at step 4 of TRAIN by "
                               "'log_size': 1 of 16 elements is NaN in "
                               "microbatch 2 of 4, counted from 0, in stage '";
  EXPECT_TRUE(first.starts_with(expected)) << first;
  EXPECT_NE(first.find("' on partition 1"), first.npos) << first;
}

/// A momentum that is computed from itself alone.
StatusOr<Model> buildForgottenSlot() {
  GraphBuilder g("forgotten", /*seed=*/3);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  Tensor classes = g.input("classes", {DType::I64, {kRows}}, 0);
  const TensorType type{DType::F32, {kWidth, kClasses}};
  const VariableRef weight =
      g.variable("weight", type, InitialValue::normal(0, 0.3));
  const VariableRef velocity = g.variable(
      "velocity", type, InitialValue::constant(0), VariableRole::Optimizer);
  Tensor w = g.read(weight);
  Tensor loss = losses::crossEntropy(g, g.matmul(x, w), classes);
  Tensor gradient = g.accumulate(g.gradients(loss, {w}).front());
  Tensor next = g.read(velocity) * 0.9;
  g.assign(velocity, next);
  g.assign(weight, w - (next + gradient) * 0.1);
  g.output("loss", loss, JoinBy::Mean);
  g.microbatches(kMicrobatches);
  return std::move(g).finish();
}

TEST(PlantedNumbers, ASlotThatIsNeverUpdated) {
  WatchedRun run(buildForgottenSlot());
  Points points(1);
  for (int step = 0; step < 3 && run.findings().empty(); ++step) {
    points.draw();
    run.step("train", points.inputs());
  }
  EXPECT_EQ(run.first(),
            "UnchangedTensor is met at step 2 of TRAIN by 'velocity': none of "
            "its 128 elements has changed in 3 steps, since step 0 of TRAIN, "
            "by more than 0 + 0 of its size");
}

} // namespace
