// SPDX-License-Identifier: Apache-2.0
// The formulas are at OptimizerKind.
#include "UpdateRules.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {

class Update {
public:
  Update(UpdateBuilder &b, const Optimizer &o, StepNumbers &numbers,
         VariableOp variable, Value gradient, bool decays)
      : b(b), o(o), numbers(numbers), variable(variable),
        parameter(b.read(variable)), gradient(gradient), decays(decays) {}

  LogicalResult build();

private:
  bool isDecoupled() const {
    return o.kind == OptimizerKind::AdamW || o.kind == OptimizerKind::Lion;
  }
  Value scaled(Value x, double factor) { return b.mul(x, b.number(x, factor)); }
  Value scaledBy(Value number, Value x) {
    return b.mul(x, numbers.spread(number, x));
  }
  /// factor * old + (1 - factor) * value.
  Value average(Value old, double factor, Value value) {
    return b.add(scaled(old, factor), scaled(value, 1 - factor));
  }
  Value square(Value x) { return b.mul(x, x); }
  /// value / (sqrt(squares) + epsilon).
  Value normalised(Value value, Value root) {
    return b.div(value, b.add(root, b.number(root, o.epsilon)));
  }

  /// The value of a slot at the start of the step.
  Value slot(StringRef name);
  void keep(StringRef name, Value value) { b.assign(slots.at(name), value); }

  /// What the parameter goes down by.
  Value step();
  Value momentumStep();
  Value adamStep();
  Value lionStep();

  UpdateBuilder &b;
  const Optimizer &o;
  StepNumbers &numbers;
  VariableOp variable;
  Value parameter, gradient;
  bool decays, failed = false;
  llvm::StringMap<VariableOp> slots;
};

} // namespace

Value Update::slot(StringRef name) {
  auto made = b.variable("optimizer/" + name + "/" + variable.getSymName(),
                         variable.getTensorType(), VariableKind::Optimizer, 0);
  if (llvm::failed(made)) {
    failed = true;
    return parameter;
  }
  slots[name] = *made;
  return b.read(*made);
}

Value Update::momentumStep() {
  Value sum = b.add(scaled(slot("momentum"), o.momentum), gradient);
  if (!failed)
    keep("momentum", sum);
  if (o.kind == OptimizerKind::Nesterov)
    sum = b.add(gradient, scaled(sum, o.momentum));
  return scaledBy(numbers.learningRate(), sum);
}

Value Update::adamStep() {
  Value mean = average(slot("mean"), o.beta1, gradient);
  Value squares = average(slot("square"), o.beta2, square(gradient));
  if (!failed) {
    keep("mean", mean);
    keep("square", squares);
  }
  Value root = b.make<SqrtOp>(squares);
  root = b.div(root, numbers.spread(numbers.rootCorrection(), root));
  return scaledBy(numbers.correctedRate(), normalised(mean, root));
}

Value Update::lionStep() {
  Value old = slot("mean");
  Value direction = b.make<SignOp>(average(old, o.beta1, gradient));
  if (!failed)
    keep("mean", average(old, o.beta2, gradient));
  return scaledBy(numbers.learningRate(), direction);
}

Value Update::step() {
  switch (o.kind) {
  case OptimizerKind::Sgd:
    return scaledBy(numbers.learningRate(), gradient);
  case OptimizerKind::Momentum:
  case OptimizerKind::Nesterov:
    return momentumStep();
  case OptimizerKind::Adam:
  case OptimizerKind::AdamW:
    return adamStep();
  case OptimizerKind::Lion:
    return lionStep();
  case OptimizerKind::Adagrad:
  case OptimizerKind::RmsProp:
    break;
  }
  Value old = slot("square");
  Value squares = o.kind == OptimizerKind::Adagrad
                      ? b.add(old, square(gradient))
                      : average(old, o.smoothing, square(gradient));
  if (!failed)
    keep("square", squares);
  Value direction = normalised(gradient, b.make<SqrtOp>(squares));
  return scaledBy(numbers.learningRate(), direction);
}

LogicalResult Update::build() {
  Value kept = parameter;
  if (decays && isDecoupled())
    kept = scaledBy(numbers.shrink(), parameter);
  else if (decays)
    gradient = b.add(gradient, scaledBy(numbers.weightDecay(), parameter));
  Value by = step();
  if (failed)
    return failure();
  b.assign(variable, b.sub(kept, by));
  return success();
}

LogicalResult buildUpdate(UpdateBuilder &b, const Optimizer &o,
                          StepNumbers &numbers, VariableOp variable,
                          Value gradient, bool decays) {
  return Update(b, o, numbers, variable, gradient, decays).build();
}

} // namespace smp::passes
