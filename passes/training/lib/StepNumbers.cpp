// SPDX-License-Identifier: Apache-2.0
#include "LearningRate.h"
#include "UpdateRules.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

FailureOr<StepNumbers> StepNumbers::make(UpdateBuilder &b, const Optimizer &o) {
  StepNumbers numbers(b, o);
  MLIRContext *context = b.getContext();
  auto f32 = RankedTensorType::get({}, Float32Type::get(context));
  Type f64 = Float64Type::get(context);
  auto setting = [&](StringRef name, double value) -> Value {
    auto variable =
        b.variable("optimizer/" + name, f32, VariableKind::Optimizer, value);
    if (failed(variable))
      return {};
    return b.convert(b.read(*variable), f64);
  };
  Value scale = setting("learning_rate_scale", 1);
  if (!scale)
    return failure();
  if (o.weightDecay > 0 &&
      !(numbers.decay = setting("weight_decay", o.weightDecay)))
    return failure();
  if (o.clipNorm > 0 && !(numbers.clip = setting("clip_norm", o.clipNorm)))
    return failure();
  auto counter =
      b.variable("optimizer/step",
                 RankedTensorType::get({}, IntegerType::get(context, 64)),
                 VariableKind::Optimizer, 0);
  if (failed(counter))
    return failure();
  Value step = b.read(*counter);
  Value next = b.add(step, b.number(step, 1));
  numbers.counter = *counter;
  numbers.next = next;
  numbers.count = b.convert(next, f64);
  numbers.rate = b.mul(buildLearningRate(b, o, b.convert(step, f64)), scale);
  return numbers;
}

void StepNumbers::countStep() {
  UpdateBuilder::Within within(*b, part);
  b->assign(counter, next);
}

Value &StepNumbers::once(StringRef name, function_ref<Value()> make) {
  Value &value = made[name];
  if (!value) {
    UpdateBuilder::Within within(*b, part);
    value = make();
  }
  return value;
}

Value StepNumbers::shrink() {
  return once("shrink",
              [&] { return b->sub(b->number(rate, 1), b->mul(rate, decay)); });
}

Value StepNumbers::correction(double beta) {
  Value power = b->make<PowOp>(b->number(count, beta), count);
  return b->sub(b->number(count, 1), power);
}

Value StepNumbers::correctedRate() {
  return once("corrected rate",
              [&] { return b->div(rate, correction(o->beta1)); });
}

Value StepNumbers::rootCorrection() {
  return once("root correction",
              [&] { return b->make<SqrtOp>(correction(o->beta2)); });
}

Value StepNumbers::spread(Value number, Value like) {
  Type element = getElementTypeOrSelf(like.getType());
  Value &scalar = converted[{number, element}];
  if (!scalar) {
    UpdateBuilder::Within within(*b, part);
    scalar = b->convert(number, element);
  }
  return b->spread(scalar, like);
}

} // namespace smp::passes
