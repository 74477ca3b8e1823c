// SPDX-License-Identifier: Apache-2.0
// How parameters follow their gradients: what a person chooses.

#ifndef SMP_MODEL_OPTIMIZER_H
#define SMP_MODEL_OPTIMIZER_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

/// The rules, for a parameter p with gradient g, learning rate r and decay d;
/// slots start at zero and t counts steps from 1.
///
///   Sgd       g += d p;  p -= r g
///   Momentum  g += d p;  b = momentum b + g;  p -= r b
///   Nesterov  g += d p;  b = momentum b + g;  p -= r (g + momentum b)
///   Adam      g += d p;  m = beta1 m + (1 - beta1) g
///             v = beta2 v + (1 - beta2) g^2
///             p -= r m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
///   AdamW     as Adam, but p -= r d p in place of g += d p
///   Adagrad   g += d p;  v += g^2;  p -= r g / (sqrt(v) + epsilon)
///   RmsProp   g += d p;  v = smoothing v + (1 - smoothing) g^2
///             p -= r g / (sqrt(v) + epsilon)
///   Lion      p -= r d p;  p -= r sign(beta1 m + (1 - beta1) g)
///             m = beta2 m + (1 - beta2) g
enum class OptimizerKind : uint8_t {
  Sgd,
  Momentum,
  Nesterov,
  Adam,
  AdamW,
  Adagrad,
  RmsProp,
  Lion
};

/// How the learning rate goes on after the warm-up, whose step t (from 0) has
/// the rate learningRate (t + 1) / (warmupSteps + 1). With x the part of the
/// steps from warmupSteps to totalSteps that is over, at most 1:
///
///   Constant  learningRate
///   Linear    from learningRate at x = 0 to minLearningRate at x = 1
///   Cosine    the same along half a cosine wave
///   Step      learningRate stepFactor^k after k times stepLength steps
enum class LearningRateKind : uint8_t { Constant, Linear, Cosine, Step };

struct Optimizer {
  OptimizerKind kind = OptimizerKind::AdamW;
  double learningRate = 1e-3;
  double momentum = 0.9;
  double beta1 = 0.9, beta2 = 0.999;
  double smoothing = 0.99;
  double epsilon = 1e-8;

  double weightDecay = 0;
  /// Which parameters decay: those whose name fits one of these patterns (with
  /// `*`, `?` and `[...]`) and that have as many dimensions at least.
  std::vector<std::string> decay = {"*"};
  int64_t decayMinRank = 0;
  /// Parameters whose name fits one of these are not trained.
  std::vector<std::string> freeze = {};
  /// All gradients together are scaled down to this norm; 0: never.
  double clipNorm = 0;

  LearningRateKind schedule = LearningRateKind::Constant;
  int64_t warmupSteps = 0;
  int64_t totalSteps = 0; ///< Of Linear and Cosine.
  double minLearningRate = 0;
  int64_t stepLength = 0; ///< Of Step.
  double stepFactor = 0.1;
};

/// "sgd", "momentum", "nesterov", "adam", "adamw", "adagrad", "rmsprop",
/// "lion".
std::string_view toString(OptimizerKind kind);
/// "constant", "linear", "cosine", "step".
std::string_view toString(LearningRateKind kind);
std::optional<OptimizerKind> optimizerKindOf(std::string_view name);
std::optional<LearningRateKind> learningRateKindOf(std::string_view name);
/// The names of all.
std::span<const std::string_view> optimizerKinds();
std::span<const std::string_view> learningRateKinds();

/// What is wrong with the choice, or nothing.
std::optional<std::string> checkOptimizer(const Optimizer &optimizer);

} // namespace smp

#endif // SMP_MODEL_OPTIMIZER_H
