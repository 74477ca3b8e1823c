// SPDX-License-Identifier: Apache-2.0
// Losses: functions over a GraphBuilder's ops. Their numbers, and those of
// their gradients, are the ones of PyTorch's functions of the same names.

#ifndef SMP_IMPORT_LOSSES_H
#define SMP_IMPORT_LOSSES_H

#include "smp/import/GraphBuilder.h"

namespace smp::losses {

/// What becomes of the loss of each element, or of each row of classes.
enum class Reduce {
  Mean,      ///< Of nothing: 0.
  BatchMean, ///< The sum by the size of the first dimension.
  Sum,
  None
};

struct CrossEntropyOptions {
  /// So much of a target's probability is divided over all classes.
  double labelSmoothing = 0;
  /// Rows with this target have loss 0 and do not count in means. Any other
  /// target that is no class fails the step.
  std::optional<int64_t> ignoreIndex = {};
  Reduce reduce = Reduce::Mean;
};
/// -log softmax(logits)[target] over the last dimension, the classes. `targets`
/// are i32 or i64, of the shape of the logits' other dimensions.
Tensor crossEntropy(GraphBuilder &g, const Tensor &logits,
                    const Tensor &targets,
                    const CrossEntropyOptions &options = {});

struct CrossEntropyOfOptions {
  double labelSmoothing = 0;
  Reduce reduce = Reduce::Mean;
};
/// -sum(probabilities * log softmax(logits)) over the last dimension.
Tensor crossEntropyOf(GraphBuilder &g, const Tensor &logits,
                      const Tensor &probabilities,
                      const CrossEntropyOfOptions &options = {});

/// (x - target)^2.
Tensor meanSquaredError(GraphBuilder &g, const Tensor &x, const Tensor &target,
                        Reduce reduce = Reduce::Mean);
/// |x - target|.
Tensor l1(GraphBuilder &g, const Tensor &x, const Tensor &target,
          Reduce reduce = Reduce::Mean);

struct BinaryCrossEntropyOptions {
  /// What the loss of a positive target is multiplied by; broadcasts to the
  /// logits. Empty: 1.
  Tensor positiveWeight = {};
  Reduce reduce = Reduce::Mean;
};
/// -(target log sigmoid(logits) + (1 - target) log sigmoid(-logits)), without
/// cancellation at any logit.
Tensor
binaryCrossEntropyWithLogits(GraphBuilder &g, const Tensor &logits,
                             const Tensor &target,
                             const BinaryCrossEntropyOptions &options = {});

struct KlDivergenceOptions {
  /// The target is given as logarithms too.
  bool logTarget = false;
  Reduce reduce = Reduce::Mean;
};
/// target (log target - logProbabilities), where a target of 0 gives 0. That is
/// the divergence of each element: the mathematical one is Reduce::BatchMean.
Tensor klDivergence(GraphBuilder &g, const Tensor &logProbabilities,
                    const Tensor &target,
                    const KlDivergenceOptions &options = {});

} // namespace smp::losses

#endif // SMP_IMPORT_LOSSES_H
