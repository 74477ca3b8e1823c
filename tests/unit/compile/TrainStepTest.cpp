// SPDX-License-Identifier: Apache-2.0
// What a training step promises to its caller.

#include "smp/compile/CompileModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/runtime/Session.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

namespace {

constexpr int64_t kRows = 3, kWidth = 4, kMicrobatches = 2;

/// Rows of `table` by `index`, times `w`; the loss is the sum of the squares.
/// The rows are taken on partition 0, the loss is made on the last one.
void buildTrain(GraphBuilder &g, int64_t partitions, const Optimizer &o) {
  g.beginEntry("train", EntryMode::Train);
  Tensor index = g.input("index", {DType::I64, {kRows}}, 0);
  Tensor rows, loss;
  {
    auto scope = partition(0);
    rows = g.gather(g.parameter("table", {DType::F32, {8, kWidth}},
                                InitialValue::normal(0, 1)),
                    index);
  }
  {
    auto scope = partition(partitions - 1);
    Tensor y =
        rows * g.parameter("w", {DType::F32, {kWidth}}, InitialValue::ones());
    loss = g.sum(y * y);
  }
  g.train(loss, o);
  g.microbatches(kMicrobatches);
}

class TrainStepTest : public testing::TestWithParam<int64_t> {
protected:
  compile::CompiledModel compileModel(const Optimizer &o) {
    GraphBuilder g("rows", 7);
    buildTrain(g, GetParam(), o);
    auto model = std::move(g).finish();
    EXPECT_TRUE(model.ok()) << model.status().message();
    compile::ModelOptions options;
    options.levels = {"v2"};
    options.placement.emplace().partitions = GetParam();
    options.placement->mode = passes::PartitionMode::Auto;
    auto compiled = compile::compileModel(model.take(), options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled.take();
  }

  Session open(const Optimizer &o = sgd()) {
    compiled.emplace(compileModel(o));
    auto session = Session::open(SharedProgram::read(compiled->bytes()).take());
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.take();
  }

  static Optimizer sgd() {
    Optimizer o;
    o.kind = OptimizerKind::Sgd;
    o.learningRate = 0.01;
    return o;
  }

  static StatusOr<StepOutput> step(Session &session,
                                   const std::vector<int64_t> &index) {
    const int64_t shape[] = {int64_t(index.size())};
    const InputTensor input{"index", {DType::I64, shape, index.data()}};
    return session.step("train", {&input, 1});
  }

  static std::vector<float> read(Session &session, const std::string &name,
                                 size_t count) {
    std::vector<float> value(count);
    const Status status =
        session.getVariable(name, std::as_writable_bytes(std::span(value)));
    EXPECT_TRUE(status.ok()) << status.message();
    return value;
  }
  static std::vector<float> table(Session &session) {
    return read(session, "table", 8 * kWidth);
  }
  static std::vector<float> weights(Session &session) {
    return read(session, "w", kWidth);
  }

  static void set(Session &session, const std::string &name, float value) {
    const Status status = session.setVariable(name, {DType::F32, {}, &value});
    EXPECT_TRUE(status.ok()) << status.message();
  }

  const std::vector<int64_t> good{0, 1, 2, 3, 4, 5};
  std::optional<compile::CompiledModel> compiled;
};

TEST_P(TrainStepTest, FollowsTheMeanGradientOfItsMicrobatches) {
  Session session = open();
  const std::vector<float> before = table(session);
  auto output = step(session, good);
  ASSERT_TRUE(output.ok()) << output.status().message();
  const OutputTensor &loss = *output->find("loss");
  ASSERT_EQ(loss.microbatches, 2u);
  const std::vector<float> after = table(session), w = weights(session);
  for (uint32_t m = 0; m < 2; ++m) {
    double sum = 0;
    for (size_t i = 0; i < kRows * kWidth; ++i) {
      const float x = before[m * kRows * kWidth + i];
      sum += double(x) * x;
      // d(loss)/dx = 2 x, halved by the mean.
      EXPECT_FLOAT_EQ(after[m * kRows * kWidth + i], x - 0.01f * x);
    }
    EXPECT_NEAR(*static_cast<const float *>(loss.microbatch(m)), sum, 1e-5);
  }
  for (size_t column = 0; column < kWidth; ++column) {
    float gradient = 0; // Of the sum of squares, halved by the mean.
    for (size_t row = 0; row < good.size(); ++row)
      gradient += before[row * kWidth + column] * before[row * kWidth + column];
    EXPECT_NEAR(w[column], 1 - 0.01f * gradient, 1e-5f);
  }
  // Rows that nobody took stay.
  EXPECT_EQ(after[7 * kWidth], before[7 * kWidth]);
  EXPECT_EQ(*static_cast<float *>(output->find("learning_rate")->data), 0.01f);
  EXPECT_EQ(output->find("learning_rate")->microbatches, 1u);
}

TEST_P(TrainStepTest, ThatFailsBeforeItsUpdateChangesNothing) {
  Session session = open();
  ASSERT_TRUE(step(session, good).ok());
  const std::vector<float> before = table(session), w = weights(session);
  // The second microbatch fails, when the first is done.
  auto output = step(session, {0, 1, 2, 3, 8, 5});
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.status().message().find("8"), std::string::npos)
      << output.status().message();
  EXPECT_EQ(table(session), before);
  EXPECT_EQ(weights(session), w);

  // What was summed before the failure is not in the next step.
  Session other = open();
  ASSERT_TRUE(step(other, good).ok());
  ASSERT_TRUE(step(other, good).ok());
  ASSERT_TRUE(step(session, good).ok());
  EXPECT_EQ(table(session), table(other));
  EXPECT_EQ(weights(session), weights(other));
}

TEST_P(TrainStepTest, TellsWhichBatchItWants) {
  Session session = open();
  auto messageOf = [&](size_t rows) {
    return step(session, std::vector<int64_t>(rows)).status().message();
  };
  EXPECT_EQ(messageOf(7),
            "input 'index' is 7; it must be 6 for 2 microbatches of 3");
  EXPECT_EQ(messageOf(9), "input 'index' holds 3 microbatches; entry 'train' "
                          "was compiled for 2");
  const std::vector<EntrySignature> entries = session.entries();
  ASSERT_EQ(entries[0].inputs.size(), 1u); // The microbatch's number is none.
  EXPECT_EQ(entries[0].microbatches, 2u);
  EXPECT_EQ(entries[0].mode, "train");
}

TEST_P(TrainStepTest, TakesSettingsAndValuesBetweenSteps) {
  Session session = open();
  const std::vector<float> before = table(session);
  set(session, "optimizer/learning_rate_scale", 0);
  ASSERT_TRUE(step(session, good).ok());
  EXPECT_EQ(table(session), before);

  const std::vector<float> ones(8 * kWidth, 1);
  const int64_t shape[] = {8, kWidth};
  ASSERT_TRUE(
      session.setVariable("table", {DType::F32, shape, ones.data()}).ok());
  EXPECT_EQ(table(session), ones);
  set(session, "optimizer/learning_rate_scale", 2);
  auto output = step(session, good);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(*static_cast<const float *>(output->find("loss")->data), 12);
  EXPECT_FLOAT_EQ(table(session)[0], 0.98f);
}

TEST_P(TrainStepTest, LimitsTheNormAndFreezes) {
  Optimizer o = sgd();
  o.clipNorm = 0.5;
  o.freeze = {"w*"};
  Session session = open(o);
  const std::vector<float> before = table(session);
  auto output = step(session, good);
  ASSERT_TRUE(output.ok()) << output.status().message();
  double squares = 0;
  for (size_t i = 0; i < good.size() * kWidth; ++i)
    squares += double(before[i]) * before[i];
  const float norm = float(std::sqrt(squares));
  EXPECT_NEAR(*static_cast<float *>(output->find("gradient_norm")->data), norm,
              1e-5);
  EXPECT_NEAR(table(session)[0],
              before[0] - 0.01f * before[0] * 0.5f / (norm + 1e-6f), 1e-6);
  EXPECT_EQ(weights(session), std::vector<float>(kWidth, 1));
}

/// The gradient of a product of f16 that is not finite: nothing is changed but
/// the scale of the loss.
TEST(TrainedModel, SkipsStepsWhoseGradientsAreNotFinite) {
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {2, 4}}, 0);
  Tensor w = g.parameter("w", {DType::F32, {4, 4}}, InitialValue::ones());
  g.train(g.sum(g.matmul(x, w)), {});
  g.precision(DType::F16);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  compile::ModelOptions options;
  options.levels = {"v2"};
  auto compiled = compile::compileModel(model.take(), options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto session = Session::open(SharedProgram::read(compiled->bytes()).take());
  ASSERT_TRUE(session.ok()) << session.status().message();
  auto valueOf = [&](const char *name) {
    float values[16] = {};
    const Status status = session->getVariable(
        name, std::as_writable_bytes(std::span(
                  values, std::string_view(name).ends_with("w") ? 16 : 1)));
    EXPECT_TRUE(status.ok()) << status.message();
    return values[0];
  };
  auto stepCount = [&] {
    int64_t count = -1;
    EXPECT_TRUE(session
                    ->getVariable("optimizer/step",
                                  std::as_writable_bytes(std::span(&count, 1)))
                    .ok());
    return count;
  };
  auto step = [&](float value) {
    const std::vector<float> values(8, value);
    const int64_t shape[] = {2, 4};
    const InputTensor input{"x", {DType::F32, shape, values.data()}};
    auto output = session->step("train", {&input, 1});
    ASSERT_TRUE(output.ok()) << output.status().message();
  };
  EXPECT_EQ(valueOf("optimizer/loss_scale"), 65536);
  step(1); // 65536 is more than an f16 can be.
  EXPECT_EQ(valueOf("w"), 1);
  EXPECT_EQ(valueOf("optimizer/mean/w"), 0);
  EXPECT_EQ(stepCount(), 0);
  EXPECT_EQ(valueOf("optimizer/loss_scale"), 32768);
  step(0.25f);
  EXPECT_LT(valueOf("w"), 1);
  EXPECT_EQ(valueOf("optimizer/mean/w"), 0.1f * 0.5f);
  EXPECT_EQ(stepCount(), 1);
  EXPECT_EQ(valueOf("optimizer/loss_scale"), 32768);
}

INSTANTIATE_TEST_SUITE_P(Partitions, TrainStepTest, testing::Values(1, 2));

/// A model with a parameter `idle` that its loss does not depend on.
static StatusOr<Model> withIdleParameter() {
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {4}}, 0);
  Tensor idle = g.parameter("idle", {DType::F32, {4}}, InitialValue::ones());
  Tensor w = g.parameter("w", {DType::F32, {4}}, InitialValue::ones());
  g.output("unused", idle + 1);
  g.train(g.sum(x * w), {});
  return std::move(g).finish();
}

TEST(TrainedModel, NamesAParameterWithoutGradient) {
  auto model = withIdleParameter();
  ASSERT_TRUE(model.ok()) << model.status().message();
  compile::ModelOptions options;
  options.levels = {"v2"};
  auto compiled = compile::compileModel(model.take(), options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.status().message().find("'idle' gets no gradient"),
            std::string::npos)
      << compiled.status().message();

  options.allowUnused = true;
  compiled = compile::compileModel(withIdleParameter().take(), options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto session = Session::open(SharedProgram::read(compiled->bytes()).take());
  ASSERT_TRUE(session.ok()) << session.status().message();
  const std::vector<float> x(4, 1);
  const int64_t shape[] = {4};
  const InputTensor input{"x", {DType::F32, shape, x.data()}};
  auto output = session->step("train", {&input, 1});
  ASSERT_TRUE(output.ok()) << output.status().message();
  float idle[4], w[4];
  ASSERT_TRUE(
      session->getVariable("idle", std::as_writable_bytes(std::span(idle)))
          .ok());
  ASSERT_TRUE(
      session->getVariable("w", std::as_writable_bytes(std::span(w))).ok());
  EXPECT_EQ(idle[0], 1);
  EXPECT_LT(w[0], 1);
}

TEST(TrainedModel, MeansOverMicrobatchesInAnyEntry) {
  GraphBuilder g;
  g.beginEntry("eval", EntryMode::Eval);
  Tensor x = g.input("x", {DType::F32, {2}}, 0);
  g.output("mean", g.accumulate(g.mean(x)));
  g.output("sum", g.accumulate(g.mean(x), Accumulation::Sum));
  g.output("number", g.microbatch(), 0);
  g.microbatches(3);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  compile::ModelOptions options;
  options.levels = {"v2"};
  auto compiled = compile::compileModel(model.take(), options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto session = Session::open(SharedProgram::read(compiled->bytes()).take());
  ASSERT_TRUE(session.ok()) << session.status().message();
  const float values[] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {6};
  const InputTensor input{"x", {DType::F32, shape, values}};
  for (int round = 0; round < 2; ++round) {
    auto output = session->step("eval", {&input, 1});
    ASSERT_TRUE(output.ok()) << output.status().message();
    EXPECT_FLOAT_EQ(*static_cast<float *>(output->find("mean")->data), 3.5f);
    EXPECT_FLOAT_EQ(*static_cast<float *>(output->find("sum")->data), 10.5f);
    const auto *numbers =
        static_cast<const int64_t *>(output->find("number")->data);
    EXPECT_EQ(std::vector<int64_t>(numbers, numbers + 3),
              (std::vector<int64_t>{0, 1, 2}));
  }
}

} // namespace
