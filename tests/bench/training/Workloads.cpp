// SPDX-License-Identifier: Apache-2.0
#include "Workloads.h"
#include "CharModel.h"
#include "ConvolvedLayers.h"
#include "smp/import/Losses.h"
#include <string>

namespace smp::bench {

namespace {

/// The 18 layers of He et al. (2015).
class ResNet {
public:
  explicit ResNet(GraphBuilder &g) : g(g) {}

  Tensor scores(Tensor x, int64_t classes) {
    x = residualStem(g, x);
    for (int64_t i = 0; i < 8; ++i)
      x = block(x, int64_t(64) << i / 2, i % 2 == 0 && i > 0 ? 2 : 1,
                "block" + std::to_string(i));
    return layers::linear(g, g.mean(x, {2, 3}), classes, "classes");
  }

private:
  Tensor block(const Tensor &x, int64_t features, int64_t stride,
               const std::string &name) {
    NameScope scope = g.scope(name);
    Tensor y = g.relu(convolve(x, features, 3, stride, "first"));
    y = convolve(y, features, 3, 1, "second");
    const bool isSame = stride == 1 && x.dim(1) == features;
    return g.relu(y + (isSame ? x : convolve(x, features, 1, stride, "skip")));
  }

  Tensor convolve(const Tensor &x, int64_t features, int64_t kernel,
                  int64_t stride, const std::string &name) {
    return convolveAndNormalize(g, x, features, kernel, stride, name);
  }

  GraphBuilder &g;
};

} // namespace

static StatusOr<Model> buildResNet(int64_t microbatches) {
  constexpr int64_t kBatch = 8, kSize = 112, kClasses = 1000;
  GraphBuilder g("ResNet-18", 1);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kBatch, 3, kSize, kSize}}, 0);
  Tensor loss =
      losses::crossEntropy(g, ResNet(g).scores(x, kClasses),
                           g.input("targets", {DType::I64, {kBatch}}, 0));
  Optimizer optimizer;
  optimizer.weightDecay = 0.01;
  g.train(loss, optimizer);
  g.microbatches(microbatches);
  return std::move(g).finish();
}

StatusOr<Model> buildWorkload(std::string_view name, int64_t microbatches) {
  if (name == "resnet")
    return buildResNet(microbatches);
  char_lm::Shape shape;
  shape.characters = 65;
  shape.microbatches = microbatches;
  if (name == "blocks") {
    shape.layers = 2;
    shape.heads = 12;
    shape.width = 768;
    shape.block = 128;
    shape.characters = 512;
    shape.batch = 4;
  } else if (name != "char") {
    return invalidArgument("no workload '" + std::string(name) +
                           "': there are char, blocks and resnet");
  }
  return char_lm::buildModel(shape);
}

} // namespace smp::bench
