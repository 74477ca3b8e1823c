// SPDX-License-Identifier: Apache-2.0
// What residual networks of He et al. (2015) have in common.

#ifndef SMP_BENCH_CONVOLVEDLAYERS_H
#define SMP_BENCH_CONVOLVEDLAYERS_H

#include "smp/import/Layers.h"
#include <string>

namespace smp::bench {

/// A convolution without bias, and batch norm.
inline Tensor convolveAndNormalize(GraphBuilder &g, const Tensor &x,
                                   int64_t features, int64_t kernel,
                                   int64_t stride, const std::string &name) {
  NameScope scope = g.scope(name);
  layers::Conv2dOptions options;
  options.stride = stride;
  options.padding = kernel / 2;
  options.bias = false;
  return layers::batchNorm(
      g, layers::conv2d(g, x, features, kernel, "conv", options), "norm");
}

/// What comes before the blocks: images [n, 3, h, w] to [n, 64, h / 4, w / 4].
inline Tensor residualStem(GraphBuilder &g, const Tensor &x) {
  Window window;
  window.size = {3};
  window.strides = {2};
  window.low = window.high = {1};
  return g.maxPool(g.relu(convolveAndNormalize(g, x, 64, 7, 2, "stem")),
                   window);
}

} // namespace smp::bench

#endif // SMP_BENCH_CONVOLVEDLAYERS_H
