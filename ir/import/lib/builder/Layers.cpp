// SPDX-License-Identifier: Apache-2.0
#include "smp/import/Layers.h"
#include <cmath>

namespace smp::layers {

/// `vector`, along the features of x [batch, features, ...].
static Tensor alongFeatures(GraphBuilder &g, const Tensor &vector,
                            const Tensor &x) {
  return g.broadcast(vector, x.shape(), {1});
}

Tensor linear(GraphBuilder &g, const Tensor &x, int64_t features,
              std::string_view name, const LinearOptions &options) {
  NameScope scope = g.scope(name);
  Tensor weight = g.parameter("weight", {x.dtype(), {features, x.dim(-1)}},
                              options.weightValue);
  Tensor y = g.dotGeneral(x, weight, {{}, {}, {-1}, {1}});
  if (!options.bias)
    return y;
  return g.add(y,
               g.parameter("bias", {x.dtype(), {features}}, options.biasValue));
}

Tensor conv2d(GraphBuilder &g, const Tensor &x, int64_t features,
              int64_t kernel, std::string_view name,
              const Conv2dOptions &options) {
  NameScope scope = g.scope(name);
  if (x && (options.groups < 1 || x.dim(1) % options.groups)) {
    g.fail(std::string(name) + ": " + std::to_string(x.dim(1)) +
           " input features cannot be cut into " +
           std::to_string(options.groups) + " groups");
    return {};
  }
  const int64_t in = x.dim(1) / options.groups;
  Tensor weight =
      g.parameter("weight", {x.dtype(), {features, in, kernel, kernel}},
                  options.weightValue);
  Window window;
  window.strides = {options.stride};
  window.low = window.high = {options.padding};
  window.dilations = {options.dilation};
  Tensor y = g.conv(x, weight, window, options.groups);
  if (!options.bias)
    return y;
  Tensor bias = g.parameter("bias", {x.dtype(), {features}}, options.biasValue);
  return g.add(y, alongFeatures(g, bias, y));
}

namespace {
/// What batch normalisation keeps for entries that do not train.
struct RunningValues {
  VariableRef mean, variance;
};
} // namespace

/// running * (1 - momentum) + now * momentum.
static void follow(GraphBuilder &g, const VariableRef &running,
                   const Tensor &now, double momentum) {
  g.assign(running,
           g.add(g.mul(g.read(running), 1 - momentum), g.mul(now, momentum)));
}

/// x by its own statistics, which the running values follow.
static Tensor normaliseBatch(GraphBuilder &g, const Tensor &x,
                             const Tensor &weight, const Tensor &bias,
                             const RunningValues &running,
                             const BatchNormOptions &options,
                             std::string_view name) {
  Axes others{0};
  int64_t count = x.dim(0);
  for (int64_t i = 2; i < x.rank(); ++i) {
    others.push_back(i);
    count *= x.dim(i);
  }
  if (x && count < 2) {
    g.fail(std::string(name) + ": normalises a batch that is a " +
           toString(x.type()) +
           ": one value per feature to learn from, where 2 are needed");
    return {};
  }
  Tensor mean = g.mean(x, others);
  Tensor centred = g.sub(x, alongFeatures(g, mean, x));
  Tensor variance = g.mean(g.mul(centred, centred), others);
  follow(g, running.mean, mean, options.momentum);
  Tensor unbiased = g.mul(variance, double(count) / double(count - 1));
  follow(g, running.variance, unbiased, options.momentum);
  Tensor factor = g.mul(weight, g.rsqrt(g.add(variance, options.epsilon)));
  return g.add(g.mul(centred, alongFeatures(g, factor, x)),
               alongFeatures(g, bias, x));
}

Tensor batchNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 const BatchNormOptions &options) {
  NameScope scope = g.scope(name);
  TensorType type{x.dtype(), {x.dim(1)}};
  Tensor weight = g.parameter("weight", type, InitialValue::ones());
  Tensor bias = g.parameter("bias", type, InitialValue::zeros());
  RunningValues running;
  running.mean = g.variable("running_mean", type, InitialValue::zeros(),
                            VariableRole::State);
  running.variance = g.variable("running_var", type, InitialValue::ones(),
                                VariableRole::State);
  if (g.mode() == EntryMode::Train)
    return normaliseBatch(g, x, weight, bias, running, options, name);
  return g.batchNorm(x, weight, bias, g.read(running.mean),
                     g.read(running.variance), 1, options.epsilon);
}

Tensor batchNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 double epsilon) {
  return batchNorm(g, x, name, BatchNormOptions{.epsilon = epsilon});
}

Tensor layerNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 double epsilon) {
  NameScope scope = g.scope(name);
  TensorType type{x.dtype(), {x.dim(-1)}};
  Tensor weight = g.parameter("weight", type, InitialValue::ones());
  Tensor bias = g.parameter("bias", type, InitialValue::zeros());
  return g.layerNorm(x, weight, bias, -1, epsilon);
}

Tensor rmsNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
               double epsilon) {
  NameScope scope = g.scope(name);
  TensorType type{x.dtype(), {x.dim(-1)}};
  Tensor weight = g.parameter("weight", type, InitialValue::ones());
  return g.rmsNorm(x, weight, -1, epsilon);
}

Tensor embedding(GraphBuilder &g, const Tensor &ids, int64_t count,
                 int64_t width, std::string_view name,
                 const InitialValue &value) {
  NameScope scope = g.scope(name);
  Tensor table = g.parameter("weight", {DType::F32, {count, width}}, value);
  return g.gather(table, ids, 0);
}

Tensor dropout(GraphBuilder &g, const Tensor &x, double rate,
               std::string_view name) {
  NameScope scope = g.scope(name);
  if (x && (!isFloat(x.dtype()) || !(rate >= 0 && rate < 1))) {
    g.fail(std::string(name) + ": drops a part of " + std::to_string(rate) +
           " of a " + toString(x.type()) +
           "; the part must be in [0, 1), the elements floats");
    return {};
  }
  if (!x || rate == 0 || g.mode() != EntryMode::Train)
    return x;
  Tensor isKept = g.compare(Comparison::GreaterEqual,
                            g.random({DType::F32, x.shape()}), rate);
  return g.select(isKept, g.mul(x, 1 / (1 - rate)), 0.0);
}

/// [batch, length, width] to [batch, heads, length, width / heads].
static Tensor splitHeads(GraphBuilder &g, const Tensor &x, int64_t heads) {
  Tensor split = g.reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  return g.transpose(split, {0, 2, 1, 3});
}

Tensor multiHeadAttention(GraphBuilder &g, const Tensor &query,
                          const Tensor &key, const Tensor &value,
                          std::string_view name,
                          const AttentionOptions &options) {
  NameScope scope = g.scope(name);
  const int64_t width = query.dim(-1), heads = options.heads;
  if (query && (query.rank() != 3 || heads < 1 || width % heads)) {
    g.fail(std::string(name) + ": a query of type " + toString(query.type()) +
           " cannot be cut into " + std::to_string(heads) +
           " heads; it is [batch, length, width] with a width that heads "
           "divide");
    return {};
  }
  auto project = [&](const Tensor &x, std::string_view part) {
    return splitHeads(g, linear(g, x, width, part, options.projection), heads);
  };
  Tensor q = project(query, "query"), k = project(key, "key"),
         v = project(value, "value");
  Tensor scores = g.dotGeneral(q, k, {{0, 1}, {0, 1}, {3}, {3}});
  scores = g.mul(scores, 1 / std::sqrt(double(width / heads)));
  if (options.mask)
    scores = g.add(scores, options.mask);
  Tensor context =
      g.dotGeneral(g.softmax(scores), v, {{0, 1}, {0, 1}, {3}, {2}});
  Tensor joined = g.reshape(g.transpose(context, {0, 2, 1, 3}),
                            {query.dim(0), query.dim(1), width});
  return linear(g, joined, width, "out", options.projection);
}

} // namespace smp::layers
