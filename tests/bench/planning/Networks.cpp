// SPDX-License-Identifier: Apache-2.0
#include "Networks.h"
#include "ConvolvedLayers.h"
#include "Workloads.h"
#include "compare_splits/Networks.h"

namespace smp::bench {

namespace {

/// The 50 layers of He et al. (2015).
class ResNet50 {
public:
  explicit ResNet50(GraphBuilder &g) : g(g) {}

  Tensor scores(Tensor x, int64_t classes) {
    x = residualStem(g, x);
    const int64_t counts[] = {3, 4, 6, 3};
    for (int64_t stage = 0; stage < 4; ++stage)
      for (int64_t i = 0; i < counts[stage]; ++i)
        x = block(x, int64_t(64) << stage, i == 0 && stage > 0 ? 2 : 1,
                  "stage" + std::to_string(stage) + "." + std::to_string(i));
    return layers::linear(g, g.mean(x, {2, 3}), classes, "classes");
  }

private:
  Tensor block(const Tensor &x, int64_t features, int64_t stride,
               const std::string &name) {
    NameScope scope = g.scope(name);
    Tensor y = g.relu(convolve(x, features, 1, 1, "reduce"));
    y = g.relu(convolve(y, features, 3, stride, "middle"));
    y = convolve(y, 4 * features, 1, 1, "expand");
    const bool isSame = stride == 1 && x.dim(1) == 4 * features;
    return g.relu(y +
                  (isSame ? x : convolve(x, 4 * features, 1, stride, "skip")));
  }

  Tensor convolve(const Tensor &x, int64_t features, int64_t kernel,
                  int64_t stride, const std::string &name) {
    return convolveAndNormalize(g, x, features, kernel, stride, name);
  }

  GraphBuilder &g;
};

} // namespace

static StatusOr<Model> buildResNet50() {
  constexpr int64_t kSize = 224, kClasses = 1000;
  GraphBuilder g("ResNet-50", 1);
  g.beginEntry("predict");
  Tensor x = g.input("x", {DType::F32, {1, 3, kSize, kSize}}, 0);
  g.output("scores", ResNet50(g).scores(x, kClasses), 0);
  return std::move(g).finish();
}

StatusOr<Model> buildNetwork(std::string_view name, int64_t microbatches) {
  if (name == "resnet50")
    return buildResNet50();
  if (name == "encoder")
    return demo::buildEncoder();
  return buildWorkload(name, microbatches);
}

} // namespace smp::bench
