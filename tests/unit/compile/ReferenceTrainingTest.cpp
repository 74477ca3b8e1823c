// SPDX-License-Identifier: Apache-2.0
// Training by plain loops: what a compiled step gives and leaves is what its
// graph says.

#include "TrainingRun.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/model/Philox.h"
#include "smp/tools/ReferenceProgram.h"

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 4, kWidth = 6, kClasses = 5;

struct Case {
  const char *name;
  int64_t partitions;
  int64_t microbatches;
  Optimizer optimizer;
};

Optimizer optimizer(OptimizerKind kind) {
  Optimizer o;
  o.kind = kind;
  o.learningRate = 0.05;
  o.epsilon = 1e-3; // No gradient is so small that its sign is noise.
  o.clipNorm = 0.7;
  o.weightDecay = 0.1;
  return o;
}

/// Two layers, dropout, batch normalisation whose states change with every
/// microbatch, a loss over classes; an entry that shares the parameters.
StatusOr<Model> classifier(const Case &one) {
  GraphBuilder g("classifier", 11);
  auto network = [&](const Tensor &x, bool trains) {
    Tensor y;
    {
      auto place = partition(0);
      auto scope = g.scope("first");
      y = layers::batchNorm(g, layers::linear(g, x, 8, "fc"), "norm");
      y = g.relu(y);
      if (trains)
        y = layers::dropout(g, y, 0.25, "drop");
    }
    auto place = partition(one.partitions - 1);
    auto scope = g.scope("second");
    return layers::linear(g, y, kClasses, "fc");
  };
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  Tensor scores = network(x, true);
  Tensor loss = losses::crossEntropy(
      g, scores, g.input("classes", {DType::I64, {kRows}}, 0));
  g.output("scores", scores, 0);
  g.train(loss, one.optimizer);
  g.microbatches(one.microbatches);
  g.beginEntry("predict");
  x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
  g.output("scores", network(x, false), 0);
  return std::move(g).finish();
}

void expectNear(std::span<const std::byte> got, std::span<const std::byte> want,
                DType dtype, const std::string &what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  if (dtype != DType::F32) { // Counts.
    EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin())) << what;
    return;
  }
  for (size_t i = 0; i < got.size(); i += sizeof(float)) {
    float a, b;
    std::memcpy(&a, got.data() + i, sizeof(float));
    std::memcpy(&b, want.data() + i, sizeof(float));
    EXPECT_NEAR(a, b, 2e-5f * (1 + std::abs(b)))
        << what << ", element " << i / sizeof(float);
  }
}

NamedTensors batch(const Case &one, uint64_t seed) {
  NamedTensors inputs;
  const int64_t rows = kRows * one.microbatches;
  HostTensor &x = inputs["x"] = HostTensor::zeros({DType::F32, {rows, kWidth}});
  fillNormal(x.bytes, DType::F32, 0, 1, seed);
  HostTensor &classes = inputs["classes"] =
      HostTensor::zeros({DType::I64, {rows}});
  for (int64_t i = 0; i < rows; ++i)
    classes.as<int64_t>()[size_t(i)] =
        int64_t(i * 7 + int64_t(seed)) % kClasses;
  return inputs;
}

class ReferenceTraining : public testing::TestWithParam<Case> {
protected:
  /// Whether both give the same, and what both have afterwards.
  void compareStep(const std::string &entry, const NamedTensors &inputs) {
    auto got = run->step(entry, {inputs.begin(), inputs.end()});
    ASSERT_TRUE(got.ok()) << got.status().message();
    auto want = reference->step(entry, inputs);
    ASSERT_TRUE(want.ok()) << want.status().message();
    for (const EntrySignature &signature : run->running().entries()) {
      if (signature.name != entry)
        continue;
      ASSERT_EQ(want->size(), signature.outputs.size());
      for (size_t i = 0; i < want->size(); ++i) {
        const TensorSignature &output = signature.outputs[i];
        expectNear((*got)[output.name].bytes, (*want)[i].bytes, output.dtype,
                   output.name);
      }
    }
    for (const VariableSignature &variable : run->running().variables())
      expectNear(run->variable(variable.name).bytes,
                 reference->values().at(variable.name).bytes, variable.dtype,
                 variable.name);
  }

  std::optional<TrainingRun> run;
  std::optional<ReferenceProgram> reference;
};

TEST_P(ReferenceTraining, AgreesWithTheCompiledProgram) {
  const Case &one = GetParam();
  auto opened = TrainingRun::open(
      classifier(one), {one.partitions, passes::PartitionMode::Manual});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  run.emplace(opened.take());
  auto program = RunnableProgram::read(run->bytes(), {});
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto made = ReferenceProgram::open(program.take());
  ASSERT_TRUE(made.ok()) << made.status().message();
  reference.emplace(made.take());
  for (uint64_t seed : {1u, 2u, 3u})
    compareStep("train", batch(one, seed));
  NamedTensors inputs = batch(one, 4);
  inputs.erase("classes");
  compareStep("predict", inputs);
  // It refuses what the runtime refuses.
  inputs = batch(one, 5);
  for (auto &[name, tensor] : inputs)
    tensor = HostTensor::zeros(
        {tensor.type.dtype,
         name == "x" ? Shape{kRows * 5, kWidth} : Shape{kRows * 5}});
  auto refused = reference->step("train", inputs);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(),
            "the inputs hold 5 microbatches; entry 'train' was compiled for " +
                std::to_string(one.microbatches));
}

INSTANTIATE_TEST_SUITE_P(
    Steps, ReferenceTraining,
    testing::Values(Case{"Momentum", 1, 3, optimizer(OptimizerKind::Momentum)},
                    Case{"AdamW", 1, 1, optimizer(OptimizerKind::AdamW)},
                    Case{"AdamWOfTwoPartitions", 2, 3,
                         optimizer(OptimizerKind::AdamW)}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
