// SPDX-License-Identifier: Apache-2.0
#include "Classifier.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include <cmath>

namespace smp::test {

static Tensor scoresOf(GraphBuilder &g, const Plan &plan, Tensor x) {
  const auto active = [&](Tensor y, const char *name) {
    return plan.activation ? plan.activation(g, y) : g.named(g.relu(y), name);
  };
  layers::LinearOptions first, second;
  first.biasValue = InitialValue::constant(plan.firstBias);
  if (plan.deviation != 0)
    second.weightValue = InitialValue::normal(0, plan.deviation);
  x = active(layers::linear(g, x, 32, "first", first), "relu1");
  x = active(layers::linear(g, x, 32, "second", second), "relu2");
  return layers::linear(g, x, kClasses, "scores");
}

StatusOr<Model> buildClassifier(const Plan &plan) {
  GraphBuilder g("classifier", /*seed=*/7);
  for (auto [name, mode] : {std::pair("train", EntryMode::Train),
                            std::pair("eval", EntryMode::Eval)}) {
    g.beginEntry(name, mode);
    Tensor x = g.input("x", {DType::F32, {kRows, kWidth}}, 0);
    Tensor scores = scoresOf(g, plan, x);
    Tensor loss = losses::crossEntropy(
        g, scores, g.input("classes", {DType::I64, {kRows}}, 0));
    if (plan.hasUnused && mode == EntryMode::Train)
      loss = loss + g.sum(g.stopGradient(g.parameter(
                        "unused", {DType::F32, {4}}, InitialValue::ones())));
    if (plan.lossScale != 1)
      loss = loss * plan.lossScale;
    g.output("loss", loss, JoinBy::Mean);
    g.output("scores", scores, 0);
    if (mode != EntryMode::Train)
      continue;
    g.train(loss, plan.optimizer);
    g.microbatches(kMicrobatches);
  }
  return std::move(g).finish();
}

Points::Points(uint64_t seed, double scale)
    : state(seed << 32), scale(scale), xDims{kRows * kMicrobatches, kWidth},
      classDims{kRows * kMicrobatches} {
  draw();
}

/// Uniform in [0, 1).
double Points::random() {
  uint64_t z = ++state * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return double((z ^ z >> 31) >> 11) * 0x1p-53;
}

void Points::draw(int only) {
  x.clear();
  classes.clear();
  for (int64_t row = 0; row < xDims[0]; ++row) {
    const auto label = only < 0 ? int64_t(random() * kClasses) : only;
    classes.push_back(label);
    for (int64_t i = 0; i < kWidth; ++i)
      x.push_back(float(
          scale * (std::sin(double(label * 37 + i * 11)) + 4 * random() - 2)));
  }
}

std::vector<InputTensor> Points::inputs() const {
  return {{"x", {DType::F32, xDims, x.data()}},
          {"classes", {DType::I64, classDims, classes.data()}}};
}

} // namespace smp::test
