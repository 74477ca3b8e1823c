// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise functions of one operand. Where the derivative can
// be said with the result, the result is used, so nothing is computed twice.

#include "smp/ir/Gradient.h"

using namespace mlir;
using namespace smp::ir;

/// Multiplies the gradient of the result by the derivative.
static LogicalResult chain(GradientBuilder &g, Value derivative) {
  g.give(0, g.mul(g.ofResult(), derivative));
  return success();
}

/// 1 - x * x and its like: sign * x * x + addend.
static Value square(GradientBuilder &g, Value x, double sign, double addend) {
  Value xx = g.mul(x, x);
  return sign < 0 ? g.sub(g.splat(x.getType(), addend), xx)
                  : g.shift(xx, addend);
}

//===----------------------------------------------------------------------===//
// Piecewise linear
//===----------------------------------------------------------------------===//

LogicalResult AbsOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<SignOp>(getInput()));
}
LogicalResult NegOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.neg(g.ofResult()));
  return success();
}
LogicalResult ReluOp::buildGradients(GradientBuilder &g) {
  Value zero = g.splat(getType(), 0);
  Value positive = g.compare(Direction::GT, getResult(), zero);
  g.give(0, g.maskedBy(positive, g.ofResult()));
  return success();
}

// Constant between their steps.
LogicalResult SignOp::buildGradients(GradientBuilder &) { return success(); }
LogicalResult FloorOp::buildGradients(GradientBuilder &) { return success(); }
LogicalResult CeilOp::buildGradients(GradientBuilder &) { return success(); }
LogicalResult RoundOp::buildGradients(GradientBuilder &) { return success(); }

//===----------------------------------------------------------------------===//
// Exponentials, logarithms, roots
//===----------------------------------------------------------------------===//

LogicalResult ExpOp::buildGradients(GradientBuilder &g) {
  return chain(g, getResult());
}
LogicalResult Expm1Op::buildGradients(GradientBuilder &g) {
  return chain(g, g.shift(getResult(), 1));
}
LogicalResult LogOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.div(g.ofResult(), getInput()));
  return success();
}
LogicalResult Log1pOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.div(g.ofResult(), g.shift(getInput(), 1)));
  return success();
}
/// 1 / (2 y).
LogicalResult SqrtOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.div(g.scale(g.ofResult(), 0.5), getResult()));
  return success();
}
/// -y^3 / 2.
LogicalResult RsqrtOp::buildGradients(GradientBuilder &g) {
  Value y = getResult();
  return chain(g, g.scale(g.mul(g.mul(y, y), y), -0.5));
}

//===----------------------------------------------------------------------===//
// Trigonometric and hyperbolic
//===----------------------------------------------------------------------===//

LogicalResult SinOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<CosOp>(getInput()));
}
LogicalResult CosOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.neg(g.make<SinOp>(getInput())));
}
LogicalResult TanOp::buildGradients(GradientBuilder &g) {
  return chain(g, square(g, getResult(), 1, 1));
}
LogicalResult AsinOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<RsqrtOp>(square(g, getInput(), -1, 1)));
}
LogicalResult AcosOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.neg(g.make<RsqrtOp>(square(g, getInput(), -1, 1))));
}
LogicalResult AtanOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.div(g.ofResult(), square(g, getInput(), 1, 1)));
  return success();
}
LogicalResult SinhOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<CoshOp>(getInput()));
}
LogicalResult CoshOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<SinhOp>(getInput()));
}
LogicalResult TanhOp::buildGradients(GradientBuilder &g) {
  return chain(g, square(g, getResult(), -1, 1));
}
LogicalResult AsinhOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<RsqrtOp>(square(g, getInput(), 1, 1)));
}
LogicalResult AcoshOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<RsqrtOp>(square(g, getInput(), 1, -1)));
}
LogicalResult AtanhOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.div(g.ofResult(), square(g, getInput(), -1, 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// 2 / sqrt(pi) exp(-x^2).
LogicalResult ErfOp::buildGradients(GradientBuilder &g) {
  Value x = getInput();
  Value bell = g.make<ExpOp>(g.neg(g.mul(x, x)));
  return chain(g, g.scale(bell, 1.1283791670955126));
}
LogicalResult SigmoidOp::buildGradients(GradientBuilder &g) {
  Value y = getResult();
  return chain(g, g.mul(y, g.sub(g.splat(getType(), 1), y)));
}
LogicalResult SoftplusOp::buildGradients(GradientBuilder &g) {
  return chain(g, g.make<SigmoidOp>(getInput()));
}

/// Phi(x) + x Phi'(x) or, approximate, (1 + t) / 2 + x / 2 (1 - t^2) u' with t
/// = tanh u. All of it from the input: reading one tensor back costs less than
/// reading the parts that the forward ops have computed.
LogicalResult GeluOp::buildGradients(GradientBuilder &g) {
  Value x = getInput();
  if (!getApproximate()) {
    Value area = g.make<ErfOp>(g.scale(x, 0.7071067811865476));
    Value bell = g.make<ExpOp>(g.mul(g.scale(x, -0.5), x));
    return chain(g, g.add(g.shift(g.scale(area, 0.5), 0.5),
                          g.mul(g.scale(x, 0.3989422804014327), bell)));
  }
  constexpr double kSlope = 0.7978845608028654, kCube = 0.044715;
  Value xx = g.mul(x, x);
  Value inner = g.shift(g.scale(xx, kSlope * kCube), kSlope);
  Value t = g.make<TanhOp>(g.mul(x, inner));
  Value slope = g.shift(g.scale(xx, 3 * kSlope * kCube), kSlope);
  Value bend = g.mul(square(g, t, -1, 1), g.mul(g.scale(x, 0.5), slope));
  return chain(g, g.add(g.shift(g.scale(t, 0.5), 0.5), bend));
}

/// y (dy - sum(dy y)).
LogicalResult SoftmaxOp::buildGradients(GradientBuilder &g) {
  Value y = getResult(), dy = g.ofResult();
  auto type = cast<RankedTensorType>(getType());
  int64_t axis = getAxis();
  Value mean = g.spread(g.sum(g.mul(dy, y), axis), type, axis);
  g.give(0, g.mul(y, g.sub(dy, mean)));
  return success();
}
/// dy - exp(y) sum(dy).
LogicalResult LogSoftmaxOp::buildGradients(GradientBuilder &g) {
  Value dy = g.ofResult();
  auto type = cast<RankedTensorType>(getType());
  int64_t axis = getAxis();
  Value total = g.spread(g.sum(dy, axis), type, axis);
  g.give(0, g.sub(dy, g.mul(g.make<ExpOp>(getResult()), total)));
  return success();
}

/// A conversion from a float to anything but a float is no part of a path.
LogicalResult ConvertOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.make<ConvertOp>(getInput().getType(), g.ofResult()));
  return success();
}
