// SPDX-License-Identifier: Apache-2.0
#include "Networks.h"
#include "smp/import/Layers.h"

using namespace smp;

namespace demo {

namespace {

//===----------------------------------------------------------------------===//
// The residual network
//===----------------------------------------------------------------------===//

class ResidualNetwork : public DistributedModel {
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor x = inputs.front();
    {
      auto scope = partition(0);
      x = g.relu(convNorm(g, x, 64, 7, 2, "stem"));
      Window window;
      window.size = {3};
      window.strides = {2};
      window.low = window.high = {1};
      x = g.maxPool(x, window);
      x = twoBlocks(g, x, 64, 1, "stage1");
      x = twoBlocks(g, x, 128, 2, "stage2");
    }
    auto scope = partition(1);
    x = twoBlocks(g, x, 256, 2, "stage3");
    x = twoBlocks(g, x, 512, 2, "stage4");
    return {layers::linear(g, g.mean(x, {2, 3}), 1000, "classifier")};
  }

  static Tensor convNorm(GraphBuilder &g, const Tensor &x, int64_t features,
                         int64_t kernel, int64_t stride,
                         std::string_view name) {
    NameScope scope = g.scope(name);
    layers::Conv2dOptions options;
    options.stride = stride;
    options.padding = kernel / 2;
    options.bias = false;
    return layers::batchNorm(
        g, layers::conv2d(g, x, features, kernel, "conv", options), "norm");
  }

  /// relu(x + f(x)); where the shape changes x goes through a 1x1 convolution.
  static Tensor block(GraphBuilder &g, const Tensor &x, int64_t features,
                      int64_t stride, std::string_view name) {
    NameScope scope = g.scope(name);
    Tensor y = g.relu(convNorm(g, x, features, 3, stride, "first"));
    y = convNorm(g, y, features, 3, 1, "second");
    const bool same = stride == 1 && x.dim(1) == features;
    return g.relu(y +
                  (same ? x : convNorm(g, x, features, 1, stride, "shortcut")));
  }

  static Tensor twoBlocks(GraphBuilder &g, const Tensor &x, int64_t features,
                          int64_t stride, std::string_view name) {
    NameScope scope = g.scope(name);
    return block(g, block(g, x, features, stride, "0"), features, 1, "1");
  }
};

//===----------------------------------------------------------------------===//
// The encoder
//===----------------------------------------------------------------------===//

class Encoder : public DistributedModel {
  static constexpr int64_t kLength = 128, kWidth = 384, kHeads = 6, kLayers = 6;

  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor x = embed(g, inputs.front());
    for (int64_t i = 0; i < kLayers; ++i) {
      auto scope = partition(i < kLayers / 2 ? 0 : 1);
      x = layer(g, x, "layer" + std::to_string(i));
    }
    auto scope = partition(1);
    x = g.mean(layers::layerNorm(g, x, "norm"), {1});
    return {layers::linear(g, x, 16, "classifier")};
  }

  static Tensor embed(GraphBuilder &g, const Tensor &tokens) {
    auto scope = partition(0);
    Tensor words = layers::embedding(g, tokens, kWords, kWidth, "words");
    return words + g.parameter("positions", {DType::F32, {kLength, kWidth}},
                               InitialValue::normal(0, 0.02));
  }

  static Tensor layer(GraphBuilder &g, Tensor x, std::string_view name) {
    NameScope scope = g.scope(name);
    Tensor y = layers::layerNorm(g, x, "norm1");
    layers::AttentionOptions attention;
    attention.heads = kHeads;
    x = x + layers::multiHeadAttention(g, y, y, y, "attention", attention);
    y = layers::layerNorm(g, x, "norm2");
    y = g.gelu(layers::linear(g, y, 4 * kWidth, "widen"));
    return x + layers::linear(g, y, kWidth, "narrow");
  }
};

} // namespace

static StatusOr<Model> build(const char *name, DistributedModel &&network,
                             const char *input, const TensorType &type) {
  GraphBuilder g(name, /*seed=*/2024);
  g.beginEntry("predict");
  Tensor x = g.input(input, type, /*batchAxis=*/0);
  g.output("scores", network(g, {x}).front(), /*batchAxis=*/0);
  return std::move(g).finish();
}

StatusOr<Model> buildResidualNetwork() {
  return build("residual network", ResidualNetwork(), "image",
               {DType::F32, {1, 3, 224, 224}});
}

StatusOr<Model> buildEncoder() {
  return build("encoder", Encoder(), "tokens", {DType::I64, {1, 128}});
}

} // namespace demo
