// SPDX-License-Identifier: Apache-2.0
// Steps made of functions, trained by a Session, and what the configuration
// says of them.

#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/import/Step.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

constexpr int64_t kBatch = 24, kWidth = 6;

/// Two layers, one on each of two partitions; the batch is the last dimension.
class Network : public DistributedModel {
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor x = g.transpose(inputs.front(), {1, 0});
    {
      auto scope = partition(0);
      x = g.tanh(layers::linear(g, x, 8, "first"));
    }
    auto scope = partition(1);
    return {layers::linear(g, x, kWidth, "second")};
  }
};

class StepRunTest : public testing::Test {
protected:
  ~StepRunTest() override { finalize(); }

  /// train: x [width, batch], weights [width] to the loss and the scores.
  static StatusOr<Model> build(const StepFunctionOptions &options,
                               EntryMode mode = EntryMode::Train) {
    GraphBuilder g("network", 3);
    Network network;
    step(
        g, "train", mode,
        {{"x", {DType::F32, {kWidth, kBatch}}},
         {"weights", {DType::F32, {kWidth}}}},
        [&](GraphBuilder &g, const StepTensors &in) -> StepResults {
          Tensor y = network(g, {in["x"]}).front();
          Tensor loss = g.mean(g.mul(g.mul(y, y), in["weights"]));
          if (mode == EntryMode::Train)
            g.train(loss, {.kind = OptimizerKind::Sgd, .learningRate = 0.5});
          return {{"loss", loss}, {"scores", y}};
        },
        options);
    return std::move(g).finish();
  }

  static StepFunctionOptions cut(int64_t microbatches) {
    return {.microbatches = microbatches,
            .nonSplitInputs = {"weights"},
            .inputSplitAxes = {{"x", 1}}};
  }

  /// The program of build(); nothing, with the message in `error`, after one.
  std::vector<std::byte> compileStep(const StepFunctionOptions &options,
                                     compile::ModelOptions how = {},
                                     EntryMode mode = EntryMode::Train) {
    auto model = build(options, mode);
    EXPECT_TRUE(model.ok()) << model.status().message();
    how.levels = {"v2"};
    if (!initializedConfig())
      how.placement.emplace().partitions = 2;
    auto program = compile::compileModel(model.take(), how);
    error = program.status().message();
    if (!program.ok())
      return {};
    return {program->bytes().begin(), program->bytes().end()};
  }

  std::string error;
};

struct Run {
  HostTensor loss, losses, scores;
  std::vector<float> weight; ///< After the step.
};

/// One step over the whole batch.
StatusOr<Run> runStep(const std::vector<std::byte> &program,
                      int64_t batch = kBatch) {
  auto shared = SharedProgram::read(program);
  if (!shared.ok())
    return shared.status();
  auto session = Session::open(*shared);
  if (!session.ok())
    return session.status();
  HostTensor x = HostTensor::zeros({DType::F32, {kWidth, batch}});
  fillNormal(x.bytes, DType::F32, 0, 1, 7);
  const float weights[kWidth] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {kWidth};
  const InputTensor inputs[] = {
      {"x", {DType::F32, x.type.shape, x.bytes.data()}},
      {"weights", {DType::F32, shape, weights}}};
  auto output = session->step("train", inputs);
  if (!output.ok())
    return output.status();
  Run run;
  const OutputTensor *loss = output->find("loss");
  run.loss = loss->reduceMean().take();
  run.losses = loss->stack();
  run.scores = output->find("scores")->concat().take();
  EXPECT_EQ(loss->accumulate()->bytes, run.loss.bytes);
  run.weight.resize(8 * kWidth);
  EXPECT_TRUE(session
                  ->getVariable("first/weight",
                                std::as_writable_bytes(std::span(run.weight)))
                  .ok());
  return run;
}

TEST_F(StepRunTest, MicrobatchesGiveTheStepOfTheWholeBatch) {
  const auto whole = runStep(compileStep(cut(1)));
  const auto parts = runStep(compileStep(cut(4)));
  ASSERT_TRUE(whole.ok() && parts.ok()) << parts.status().message() << error;
  EXPECT_EQ(parts->losses.type.shape, (Shape{4}));
  EXPECT_EQ(parts->scores.type.shape, (Shape{kBatch, kWidth}));
  EXPECT_EQ(whole->scores.bytes, parts->scores.bytes);
  EXPECT_NEAR(whole->loss.as<float>()[0], parts->loss.as<float>()[0], 1e-6);
  for (size_t i = 0; i < whole->weight.size(); ++i)
    EXPECT_NEAR(whole->weight[i], parts->weight[i], 1e-6) << i;
  // The losses are those of the microbatches, and not alike.
  const auto each = parts->losses.as<float>();
  EXPECT_NE(each[0], each[1]);
}

TEST_F(StepRunTest, ABatchThatDoesNotDivideIsNamedWithBothNumbers) {
  const auto run = runStep(compileStep(cut(4)), /*batch=*/26);
  EXPECT_EQ(run.status().message(),
            "input 'x' is 6x26; it must be 6x24 for 4 microbatches of 6");
}

/// Scopes say what goes where.
Config twoPartitions(int64_t microbatches) {
  return {.partitions = 2,
          .microbatches = microbatches,
          .autoPartition = false,
          .defaultPartition = 0};
}

/// Of the only entry of a program.
struct Timing {
  explicit Timing(const std::vector<std::byte> &bytes) {
    auto program = readProgram(bytes);
    EXPECT_TRUE(program.ok()) << program.status().message();
    const Entry &entry = program->program().entries[0];
    schedule = entry.schedule;
    microbatches = entry.microbatches;
    const PipelineShape shape = pipelineShape(program->program(), entry);
    active = peakActive(
        shape, simulate(shape, {entry.microbatches, entry.actions},
                        std::vector<double>(shape.stages.size(), 1),
                        std::vector<ChannelCost>(shape.channels.size())));
  }
  std::string schedule;
  uint32_t microbatches = 0, active = 0;
};

TEST_F(StepRunTest, TheConfigurationSaysHow) {
  Config config = twoPartitions(6);
  ASSERT_TRUE(init(config).ok());
  const Timing usual(compileStep(cut(0)));
  EXPECT_EQ(usual.schedule, "interleaved");
  EXPECT_EQ(usual.microbatches, 6u);
  EXPECT_LE(usual.active, 4u);
  EXPECT_GE(usual.active, 2u);

  config.activeMicrobatches = 1;
  ASSERT_TRUE(init(config).ok());
  EXPECT_EQ(Timing(compileStep(cut(0))).active, 1u);
  compile::ModelOptions options;
  options.activeMicrobatches = 2;
  EXPECT_EQ(Timing(compileStep(cut(0), options)).active, 2u);

  config.pipeline = PipelineKind::Simple;
  ASSERT_TRUE(init(config).ok());
  const Timing simple(compileStep(cut(3)));
  EXPECT_EQ(simple.schedule, "simple");
  EXPECT_EQ(simple.microbatches, 3u);
  EXPECT_EQ(simple.active, 3u);
  options.pipeline = PipelineKind::Interleaved;
  EXPECT_EQ(Timing(compileStep(cut(0), options)).schedule, "interleaved");
}

TEST_F(StepRunTest, ForwardOnlyPipelinesAreNotTrained) {
  Config config = twoPartitions(2);
  config.pipeline = PipelineKind::OnlyForward;
  ASSERT_TRUE(init(config).ok());
  EXPECT_TRUE(compileStep(cut(0)).empty());
  EXPECT_EQ(error, "entry 'train' is trained, and the pipeline "
                   "'_only_forward' has no backward work; choose "
                   "'interleaved' or 'simple'");
  const auto run = runStep(compileStep(cut(0), {}, EntryMode::Eval));
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->losses.type.shape, (Shape{2}));
}

} // namespace
