// SPDX-License-Identifier: Apache-2.0
// Layers: functions over a GraphBuilder's ops that bring their own parameters.
// Each opens the scope `name`; messages, checkpoints and pins know its parts by
// `name/weight` and so on.

#ifndef SMP_IMPORT_LAYERS_H
#define SMP_IMPORT_LAYERS_H

#include "smp/import/GraphBuilder.h"

namespace smp::layers {

struct LinearOptions {
  bool bias = true;
  InitialValue weightValue = InitialValue::xavier();
  InitialValue biasValue = InitialValue::zeros();
};
/// x [..., in] by `weight` [features, in], plus `bias` [features].
Tensor linear(GraphBuilder &g, const Tensor &x, int64_t features,
              std::string_view name, const LinearOptions &options = {});

struct Conv2dOptions {
  int64_t stride = 1;
  int64_t padding = 0; ///< On all sides.
  int64_t dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  InitialValue weightValue = InitialValue::kaiming();
  InitialValue biasValue = InitialValue::zeros();
};
/// x [batch, in, height, width] by `weight` [features, in / groups, kernel,
/// kernel], plus `bias` [features].
Tensor conv2d(GraphBuilder &g, const Tensor &x, int64_t features,
              int64_t kernel, std::string_view name,
              const Conv2dOptions &options = {});

struct BatchNormOptions {
  double epsilon = 1e-5;
  /// How far a microbatch moves the running values towards its own.
  double momentum = 0.1;
};
/// Normalises each feature of x [batch, features, ...], then scales by `weight`
/// and adds `bias`. An entry of mode Train takes mean and variance of the
/// microbatch, of 2 values per feature at least, and with each of them moves
/// `running_mean` and, by the unbiased variance, `running_var`; those are of
/// role State and get no gradient. Other entries normalise with them.
Tensor batchNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 const BatchNormOptions &options);
Tensor batchNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 double epsilon = 1e-5);

/// Normalises the last dimension, scales by `weight` and adds `bias`.
Tensor layerNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
                 double epsilon = 1e-5);
Tensor rmsNorm(GraphBuilder &g, const Tensor &x, std::string_view name,
               double epsilon = 1e-5);

/// Rows of `weight` [count, width] by index; the result is [ids..., width].
Tensor embedding(GraphBuilder &g, const Tensor &ids, int64_t count,
                 int64_t width, std::string_view name,
                 const InitialValue &value = InitialValue::normal(0, 0.02));

/// In entries of mode Train: elements are 0 with probability `rate`, else
/// divided by 1 - rate; the gradient passes where they are not. In entries of
/// another mode: x. `rate` is in [0, 1).
Tensor dropout(GraphBuilder &g, const Tensor &x, double rate,
               std::string_view name);

struct AttentionOptions {
  int64_t heads = 1;
  /// Added to the scores before the softmax; broadcasts to [batch, heads,
  /// queries, keys]. Empty: nothing is.
  Tensor mask = {};
  LinearOptions projection = {};
};
/// softmax(q k' / sqrt(width / heads)) v per head, with linear layers `query`,
/// `key`, `value` and `out`. query is [batch, queries, width], key and value
/// are [batch, keys, ...].
Tensor multiHeadAttention(GraphBuilder &g, const Tensor &query,
                          const Tensor &key, const Tensor &value,
                          std::string_view name,
                          const AttentionOptions &options);

} // namespace smp::layers

#endif // SMP_IMPORT_LAYERS_H
