// SPDX-License-Identifier: Apache-2.0
#include "LearningRate.h"
#include <numbers>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

/// The part of the steps after the warm-up that is over, at most 1.
static Value partDone(UpdateBuilder &b, const Optimizer &o, Value step) {
  Value done = b.sub(step, b.number(step, double(o.warmupSteps)));
  Value part =
      b.div(done, b.number(step, double(o.totalSteps - o.warmupSteps)));
  return b.make<MinOp>(part, b.number(step, 1));
}

/// From learningRate, where `weight` is 1, to minLearningRate, where it is 0.
static Value between(UpdateBuilder &b, const Optimizer &o, Value weight) {
  Value range = b.number(weight, o.learningRate - o.minLearningRate);
  return b.add(b.mul(weight, range), b.number(weight, o.minLearningRate));
}

static Value afterWarmup(UpdateBuilder &b, const Optimizer &o, Value step) {
  switch (o.schedule) {
  case LearningRateKind::Constant:
    return b.number(step, o.learningRate);
  case LearningRateKind::Linear:
    return between(b, o, b.sub(b.number(step, 1), partDone(b, o, step)));
  case LearningRateKind::Cosine: {
    Value angle = b.mul(partDone(b, o, step), b.number(step, std::numbers::pi));
    Value wave = b.add(b.make<CosOp>(angle), b.number(step, 1));
    return between(b, o, b.mul(wave, b.number(step, 0.5)));
  }
  case LearningRateKind::Step: {
    Value after = b.sub(step, b.number(step, double(o.warmupSteps)));
    Value times =
        b.make<FloorOp>(b.div(after, b.number(step, double(o.stepLength))));
    Value factor = b.make<PowOp>(b.number(step, o.stepFactor), times);
    return b.mul(b.number(step, o.learningRate), factor);
  }
  }
  llvm_unreachable("a kind of learning rate without a formula");
}

Value buildLearningRate(UpdateBuilder &b, const Optimizer &o, Value step) {
  Value rate = afterWarmup(b, o, step);
  if (o.warmupSteps == 0)
    return rate;
  Value slope = b.number(step, o.learningRate / (double(o.warmupSteps) + 1));
  Value warm = b.mul(b.add(step, b.number(step, 1)), slope);
  Value isWarm = b.make<CompareOp>(Direction::LT, step,
                                   b.number(step, double(o.warmupSteps)));
  return b.make<SelectOp>(isWarm, warm, rate);
}

} // namespace smp::passes
