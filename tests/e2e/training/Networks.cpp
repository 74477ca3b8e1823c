// SPDX-License-Identifier: Apache-2.0
#include "Networks.h"
#include "SeededValues.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include <limits>

namespace smp::test {

//===----------------------------------------------------------------------===//
// ResNet-18
//===----------------------------------------------------------------------===//

static const Shape kImages{4, 3, 64, 64};
static constexpr int64_t kImageClasses = 1000;

static Tensor convNorm(GraphBuilder &g, const Tensor &x, int64_t features,
                       int64_t kernel, int64_t stride, std::string_view name) {
  NameScope scope = g.scope(name);
  layers::Conv2dOptions options;
  options.stride = stride;
  options.padding = kernel / 2;
  options.bias = false;
  return layers::batchNorm(
      g, layers::conv2d(g, x, features, kernel, "conv", options), "norm");
}

/// relu(x + f(x)); where the shape changes x goes through a 1x1 convolution.
static Tensor residualBlock(GraphBuilder &g, const Tensor &x, int64_t features,
                            int64_t stride, std::string_view name) {
  NameScope scope = g.scope(name);
  Tensor y = g.relu(convNorm(g, x, features, 3, stride, "first"));
  y = convNorm(g, y, features, 3, 1, "second");
  const bool same = stride == 1 && x.dim(1) == features;
  return g.relu(y +
                (same ? x : convNorm(g, x, features, 1, stride, "shortcut")));
}

static Tensor classScores(GraphBuilder &g, Tensor x) {
  x = g.relu(convNorm(g, x, 64, 7, 2, "stem"));
  Window window;
  window.size = {3};
  window.strides = {2};
  window.low = window.high = {1};
  x = g.maxPool(x, window);
  int64_t features = 64;
  for (const char *stage : {"stage1", "stage2", "stage3", "stage4"}) {
    NameScope scope = g.scope(stage);
    x = residualBlock(g, x, features, features == 64 ? 1 : 2, "0");
    x = residualBlock(g, x, features, 1, "1");
    features *= 2;
  }
  return layers::linear(g, g.mean(x, {2, 3}), kImageClasses, "classifier");
}

static StatusOr<Model> buildResidualNetwork() {
  GraphBuilder g("resnet18");
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, kImages});
  Tensor target = g.input("target", {DType::I64, {kImages[0]}});
  Tensor logits = classScores(g, x);
  g.output("loss", losses::crossEntropy(g, logits, target));
  return std::move(g).finish();
}

StatusOr<Model> buildResidualPredictor() {
  GraphBuilder g("resnet18");
  g.beginEntry("predict", EntryMode::Predict);
  g.output("y", classScores(g, g.input("x", {DType::F32, kImages}, 0)));
  return std::move(g).finish();
}

Network residualNetwork() {
  return {"resnet18", seededTensor("x/150", kImages),
          seededClasses("target", {kImages[0]}, kImageClasses),
          buildResidualNetwork};
}

//===----------------------------------------------------------------------===//
// The transformer
//===----------------------------------------------------------------------===//

static constexpr int64_t kBlocks = 4, kLength = 64, kWidth = 128, kHeads = 4,
                         kCharacters = 65, kLayers = 4;

/// Normalises rows and scales them, without bias.
static Tensor norm(GraphBuilder &g, const Tensor &x, std::string_view name) {
  NameScope scope = g.scope(name);
  const TensorType type{DType::F32, {kWidth}};
  return g.layerNorm(x, g.parameter("weight", type, InitialValue::ones()),
                     g.splat(type, 0));
}

/// 0 where a query may look, minus infinity where a later character is.
static Tensor causalMask(GraphBuilder &g) {
  const TensorType square{DType::I32, {kLength, kLength}};
  Tensor isLater =
      g.compare(Comparison::Greater, g.iota(square, 1), g.iota(square, 0));
  return g.select(isLater, -std::numeric_limits<double>::infinity(),
                  g.splat({DType::F32, square.shape}, 0));
}

static Tensor transformerLayer(GraphBuilder &g, Tensor x, const Tensor &mask,
                               std::string_view name) {
  NameScope scope = g.scope(name);
  layers::LinearOptions linear;
  linear.bias = false;
  Tensor h = norm(g, x, "norm1");
  x = x + layers::multiHeadAttention(
              g, h, h, h, "attention",
              {.heads = kHeads, .mask = mask, .projection = linear});
  h = layers::linear(g, norm(g, x, "norm2"), 4 * kWidth, "up", linear);
  return x + layers::linear(g, g.gelu(h), kWidth, "down", linear);
}

static StatusOr<Model> buildTransformer() {
  GraphBuilder g("transformer");
  g.beginEntry("train", EntryMode::Train);
  Tensor ids = g.input("x", {DType::I64, {kBlocks, kLength}});
  Tensor target = g.input("target", {DType::I64, {kBlocks, kLength}});
  Tensor table =
      g.parameter("tokens/weight", {DType::F32, {kCharacters, kWidth}},
                  InitialValue::zeros());
  Tensor x = g.gather(table, ids) + g.parameter("positions/weight",
                                                {DType::F32, {kLength, kWidth}},
                                                InitialValue::zeros());
  Tensor mask = causalMask(g);
  for (int64_t i = 0; i < kLayers; ++i)
    x = transformerLayer(g, x, mask, "layer" + std::to_string(i));
  x = norm(g, x, "norm");
  Tensor logits = g.dotGeneral(x, table, {{}, {}, {2}, {1}});
  g.output("loss", losses::crossEntropy(g, logits, target));
  return std::move(g).finish();
}

Network characterTransformer() {
  const Shape shape{kBlocks, kLength};
  return {"transformer", seededClasses("x", shape, kCharacters),
          seededClasses("target", shape, kCharacters), buildTransformer};
}

} // namespace smp::test
