// SPDX-License-Identifier: Apache-2.0
#include "CharModel.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include <cmath>
#include <limits>

using namespace smp;

namespace char_lm {

namespace {

/// Embedding, blocks of attention and a feed-forward network, and the embedding
/// again to score what follows: tokens [batch, block] to scores.
class CharModel : public DistributedModel {
public:
  explicit CharModel(const Shape &shape) : shape(shape) {}

private:
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor tokens = inputs.front();
    VariableRef table =
        g.variable("embedding", {DType::F32, {shape.characters, shape.width}},
                   InitialValue::normal(0, 0.02));
    Tensor x = g.gather(g.read(table), tokens);
    x = x + g.parameter("positions", {DType::F32, {shape.block, shape.width}},
                        InitialValue::normal(0, 0.02));
    for (int64_t i = 0; i < shape.layers; ++i)
      x = block(g, x, "layer" + std::to_string(i));
    return {g.matmul(norm(g, x, "norm"), g.transpose(g.read(table), {1, 0}))};
  }

  Tensor block(GraphBuilder &g, Tensor x, const std::string &name) const {
    NameScope scope = g.scope(name);
    RecomputeScope region = g.recompute(shape.recompute);
    x = x + attention(g, norm(g, x, "norm1"));
    Tensor wide = g.gelu(linear(g, norm(g, x, "norm2"), 4 * shape.width, "up"));
    return x + linear(g, wide, shape.width, "down", residualDeviation());
  }

  /// Each position attends to itself and to those before it.
  Tensor attention(GraphBuilder &g, const Tensor &x) const {
    NameScope scope = g.scope("attention");
    const int64_t batch = x.dim(0), depth = shape.width / shape.heads;
    Tensor all = linear(g, x, 3 * shape.width, "in");
    auto head = [&](int64_t which) {
      Tensor part = g.slice(all, {0, 0, which * shape.width},
                            {batch, shape.block, (which + 1) * shape.width});
      return g.transpose(
          g.reshape(part, {batch, shape.block, shape.heads, depth}),
          {0, 2, 1, 3});
    };
    Tensor query = head(0), key = head(1), value = head(2);
    Tensor scores = g.matmul(query, g.transpose(key, {0, 1, 3, 2})) *
                    (1 / std::sqrt(double(depth)));
    const TensorType square{DType::I32, {shape.block, shape.block}};
    Tensor isBefore =
        g.compare(Comparison::LessEqual, g.iota(square, 1), g.iota(square, 0));
    scores = g.select(g.broadcast(isBefore, scores.shape()), scores,
                      -std::numeric_limits<double>::infinity());
    Tensor mixed = g.matmul(g.softmax(scores), value);
    mixed = g.reshape(g.transpose(mixed, {0, 2, 1, 3}),
                      {batch, shape.block, shape.width});
    return linear(g, mixed, shape.width, "out", residualDeviation());
  }

  double residualDeviation() const {
    return 0.02 / std::sqrt(2.0 * double(shape.layers));
  }

  static Tensor linear(GraphBuilder &g, const Tensor &x, int64_t features,
                       std::string_view name, double deviation = 0.02) {
    layers::LinearOptions options;
    options.bias = false;
    options.weightValue = InitialValue::normal(0, deviation);
    return layers::linear(g, x, features, name, options);
  }

  static Tensor norm(GraphBuilder &g, const Tensor &x, std::string_view name) {
    NameScope scope = g.scope(name);
    const TensorType type{DType::F32, {x.dim(-1)}};
    return g.layerNorm(x, g.parameter("weight", type, InitialValue::ones()),
                       g.splat(type, 0));
  }

  const Shape &shape;
};

} // namespace

static Optimizer optimizerOf(const Shape &shape) {
  Optimizer optimizer;
  optimizer.kind = OptimizerKind::AdamW;
  optimizer.beta2 = 0.99;
  optimizer.weightDecay = 0.1;
  optimizer.decayMinRank = 2; // Not the norms.
  optimizer.clipNorm = 1;
  optimizer.learningRate = 1e-3;
  optimizer.schedule = LearningRateKind::Cosine;
  optimizer.minLearningRate = 1e-4;
  optimizer.warmupSteps = std::min<int64_t>(100, shape.steps / 10);
  optimizer.totalSteps = shape.steps;
  return optimizer;
}

StatusOr<Model> buildModel(const Shape &shape) {
  GraphBuilder g("character model", shape.seed);
  CharModel model(shape);
  const TensorType tokens{DType::I64, {shape.batch, shape.block}};
  const TensorType one{DType::I64, {1, shape.block}};

  g.beginEntry("train", EntryMode::Train);
  Tensor scores = model(g, {g.input("tokens", tokens, 0)}).front();
  Tensor loss = losses::crossEntropy(g, scores, g.input("targets", tokens, 0));
  g.output("loss", loss);
  g.train(loss, optimizerOf(shape));
  g.microbatches(shape.microbatches);
  g.precision(shape.precision);

  g.beginEntry("eval", EntryMode::Eval);
  scores = model(g, {g.input("tokens", one, 0)}).front();
  losses::CrossEntropyOptions each;
  each.reduce = losses::Reduce::None;
  g.output("loss",
           losses::crossEntropy(g, scores, g.input("targets", one, 0), each),
           0);

  g.beginEntry("predict", EntryMode::Predict);
  g.output("scores", model(g, {g.input("tokens", one, 0)}).front(), 0);
  return std::move(g).finish();
}

} // namespace char_lm
