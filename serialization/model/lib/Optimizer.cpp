// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Optimizer.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

namespace smp {

static constexpr std::string_view kKinds[] = {"sgd",     "momentum", "nesterov",
                                              "adam",    "adamw",    "adagrad",
                                              "rmsprop", "lion"};
static constexpr std::string_view kRates[] = {"constant", "linear", "cosine",
                                              "step"};

std::string_view toString(OptimizerKind kind) { return kKinds[size_t(kind)]; }
std::string_view toString(LearningRateKind kind) {
  return kRates[size_t(kind)];
}

template <typename Kind, size_t N>
static std::optional<Kind> find(const std::string_view (&names)[N],
                                std::string_view name) {
  const auto *found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    return std::nullopt;
  return Kind(found - names);
}

std::optional<OptimizerKind> optimizerKindOf(std::string_view name) {
  return find<OptimizerKind>(kKinds, name);
}
std::optional<LearningRateKind> learningRateKindOf(std::string_view name) {
  return find<LearningRateKind>(kRates, name);
}

std::span<const std::string_view> optimizerKinds() { return kKinds; }
std::span<const std::string_view> learningRateKinds() { return kRates; }

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

namespace {
/// A number with its bounds: low <= value, and value < high.
struct Bounded {
  const char *name;
  double value;
  double low = 0, high = std::numeric_limits<double>::infinity();
};
} // namespace

std::optional<std::string> checkOptimizer(const Optimizer &o) {
  const Bounded numbers[] = {
      {"learning_rate", o.learningRate},
      {"momentum", o.momentum, 0, 1},
      {"beta1", o.beta1, 0, 1},
      {"beta2", o.beta2, 0, 1},
      {"smoothing", o.smoothing, 0, 1},
      {"epsilon", o.epsilon},
      {"weight_decay", o.weightDecay},
      {"clip_norm", o.clipNorm},
      {"min_learning_rate", o.minLearningRate},
      {"step_factor", o.stepFactor},
      {"decay_min_rank", double(o.decayMinRank)},
      {"warmup_steps", double(o.warmupSteps)},
      {"total_steps", double(o.totalSteps)},
      {"step_length", double(o.stepLength)},
  };
  for (const Bounded &one : numbers) // Also refuses a NaN.
    if (!(one.value >= one.low && one.value < one.high))
      return std::string(one.name) + " is " + number(one.value) +
             "; it must be at least " + number(one.low) + " and less than " +
             number(one.high);
  const bool decays = o.schedule == LearningRateKind::Linear ||
                      o.schedule == LearningRateKind::Cosine;
  if (decays && o.totalSteps <= o.warmupSteps)
    return "total_steps is " + std::to_string(o.totalSteps) +
           "; a learning rate that is " + std::string(toString(o.schedule)) +
           " needs more than the " + std::to_string(o.warmupSteps) +
           " steps of the warm-up";
  if (o.schedule == LearningRateKind::Step && o.stepLength < 1)
    return "step_length is " + std::to_string(o.stepLength) +
           "; a learning rate that goes down by steps needs 1 at least";
  return std::nullopt;
}

} // namespace smp
