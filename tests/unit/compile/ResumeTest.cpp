// SPDX-License-Identifier: Apache-2.0
// Training that is stopped and resumed leaves no trace: the same losses and the
// same weights to the last bit, on other partitions too.

#include "TemporaryFolder.h"
#include "smp/capture/Hook.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/runtime/Session.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {

constexpr int64_t kBatch = 4, kInputs = 6, kClasses = 3, kMicrobatches = 2;

/// Two layers with dropout between them, trained by AdamW with a schedule:
/// every kind of variable that a checkpoint has.
Model makeModel() {
  GraphBuilder g("model", /*seed=*/5);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kBatch, kInputs}}, 0);
  Tensor targets = g.input("targets", {DType::I64, {kBatch}}, 0);
  Tensor wide = g.relu(layers::linear(g, x, 16, "first"));
  wide = layers::dropout(g, wide, 0.25, "drop");
  Tensor scores = layers::linear(g, wide, kClasses, "second");
  Tensor loss = losses::crossEntropy(g, scores, targets);
  g.output("loss", loss);
  Optimizer optimizer;
  optimizer.learningRate = 0.05;
  optimizer.weightDecay = 0.1;
  optimizer.clipNorm = 1;
  optimizer.schedule = LearningRateKind::Cosine;
  optimizer.warmupSteps = 2;
  optimizer.totalSteps = 8;
  g.train(loss, optimizer);
  g.microbatches(kMicrobatches);
  return std::move(g).finish().take();
}

std::vector<std::byte> compiled(int64_t partitions) {
  compile::ModelOptions options;
  options.levels = {"v2"};
  options.placement.emplace();
  options.placement->partitions = partitions;
  auto program = compile::compileModel(makeModel(), options);
  EXPECT_TRUE(program.ok()) << program.status().message();
  const auto bytes = program->bytes();
  return {bytes.begin(), bytes.end()};
}

/// A Session in the life of a training, and what it saw.
class Life {
public:
  explicit Life(std::span<const std::byte> program)
      : session(Session::open(SharedProgram::read(program).take()).take()) {
    EXPECT_TRUE(hook.registerLoss("loss").ok());
    EXPECT_TRUE(hook.attach(session).ok());
  }

  void steps(int64_t first, int64_t end) {
    for (int64_t step = first; step < end; ++step) {
      float x[kMicrobatches * kBatch * kInputs];
      int64_t targets[kMicrobatches * kBatch];
      for (size_t i = 0; i < std::size(x); ++i)
        x[i] = float((step * 31 + int64_t(i) * 17) % 23) / 11 - 1;
      for (size_t i = 0; i < std::size(targets); ++i)
        targets[i] = (step + int64_t(i)) % kClasses;
      const int64_t xShape[] = {kMicrobatches * kBatch, kInputs};
      const int64_t targetShape[] = {kMicrobatches * kBatch};
      const InputTensor inputs[] = {
          {"x", {DType::F32, xShape, x}},
          {"targets", {DType::I64, targetShape, targets}}};
      const auto output = session.step("train", inputs);
      ASSERT_TRUE(output.ok()) << output.status().message();
    }
  }

  /// By step.
  std::map<uint64_t, double> losses() const {
    std::map<uint64_t, double> result;
    for (const CapturedValue &value : hook.values("loss", Mode::Train))
      result[value.modeStep] = value.mean();
    return result;
  }

  std::map<std::string, std::vector<std::byte>> variables() {
    std::map<std::string, std::vector<std::byte>> result;
    for (const VariableSignature &variable : session.variables()) {
      size_t bytes = sizeOf(variable.dtype);
      for (int64_t size : variable.shape)
        bytes *= size_t(size);
      result[variable.name].resize(bytes);
      EXPECT_TRUE(
          session.getVariable(variable.name, result[variable.name]).ok());
    }
    return result;
  }

  Session session;
  Hook hook{{.saveConfig = {{.saveInterval = 1}}}};
};

TEST(Resume, GivesTheLossesAndWeightsOfOneRun) {
  constexpr int64_t kSteps = 7, kStop = 3;
  const std::vector<std::byte> one = compiled(1), two = compiled(2);
  Life whole(one);
  whole.steps(0, kSteps);
  ASSERT_EQ(whole.losses().size(), size_t(kSteps));

  for (const auto &[before, after] :
       {std::pair(&one, &one), std::pair(&one, &two), std::pair(&two, &one)}) {
    TemporaryFolder folder;
    std::map<uint64_t, double> losses;
    {
      Life first(*before);
      CheckpointManager manager(first.session, {.directory = folder.path()});
      first.steps(0, kStop);
      const auto saved = manager.save();
      ASSERT_TRUE(saved.ok()) << saved.status().message();
      first.steps(kStop, kStop + 1); // Is lost.
      losses = first.losses();
      losses.erase(kStop);
    }
    Life second(*after);
    CheckpointManager manager(second.session, {.directory = folder.path()});
    const auto restored = manager.restore();
    ASSERT_TRUE(restored.ok()) << restored.status().message();
    ASSERT_TRUE(*restored);
    second.steps(kStop, kSteps);
    losses.merge(second.losses());
    EXPECT_EQ(losses, whole.losses());
    EXPECT_EQ(second.variables(), whole.variables());
  }
}

TEST(Resume, WithoutTheOptimizersStateItWouldNotBeTheSame) {
  const std::vector<std::byte> program = compiled(1);
  TemporaryFolder folder;
  Life first(program);
  first.steps(0, 3);
  CheckpointManager saving(first.session, {.directory = folder.path()});
  ASSERT_TRUE(saving.save().ok());
  first.steps(3, 5);
  Life second(program);
  CheckpointManager manager(Checkpoint{{"model", second.session}},
                            {.directory = folder.path()});
  ASSERT_TRUE(manager.restore().ok());
  second.steps(3, 5);
  EXPECT_NE(second.losses(), first.losses());
  EXPECT_NE(second.variables(), first.variables());
}

} // namespace
