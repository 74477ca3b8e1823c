// SPDX-License-Identifier: Apache-2.0
#include "ConvModel.h"
#include "Shapes.h"
#include <smp/import/Layers.h>
#include <smp/import/Losses.h>

namespace conv_net {

/// Three times convolution, batch normalisation, ReLU and the greatest of 2 x
/// 2, then the mean of what is left: pictures to scores.
static smp::Tensor scoresOf(smp::GraphBuilder &g, smp::Tensor x) {
  smp::Window pool;
  pool.size = pool.strides = {2};
  for (int64_t features : {16, 32, 64}) {
    smp::NameScope scope = g.scope("features" + std::to_string(features));
    x = smp::layers::conv2d(g, x, features, 3, "conv",
                            {.padding = 1, .bias = false});
    x = g.maxPool(g.relu(smp::layers::batchNorm(g, x, "norm")), pool);
  }
  return smp::layers::linear(g, g.mean(x, {2, 3}), kClasses, "scores");
}

smp::StatusOr<smp::Model> buildModel(int64_t steps) {
  smp::GraphBuilder g("shapes", /*seed=*/1);
  for (auto [name, mode] : {std::pair("train", smp::EntryMode::Train),
                            std::pair("eval", smp::EntryMode::Eval)}) {
    g.beginEntry(name, mode);
    smp::Tensor scores =
        scoresOf(g, g.input("pictures",
                            {smp::DType::F32, {kBatch, 1, kSide, kSide}}, 0));
    smp::Tensor loss = smp::losses::crossEntropy(
        g, scores, g.input("classes", {smp::DType::I64, {kBatch}}, 0));
    g.output("loss", loss, smp::JoinBy::Mean);
    g.output("scores", scores, 0);
    if (mode != smp::EntryMode::Train)
      continue;
    smp::Optimizer optimizer;
    optimizer.kind = smp::OptimizerKind::AdamW;
    optimizer.learningRate = 3e-3;
    optimizer.schedule = smp::LearningRateKind::Cosine;
    optimizer.totalSteps = steps;
    g.train(loss, optimizer);
    g.microbatches(kMicrobatches);
  }
  return std::move(g).finish();
}

} // namespace conv_net
