// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise functions of several operands.

#include "smp/ir/Gradient.h"

using namespace mlir;
using namespace smp::ir;

LogicalResult AddOp::buildGradients(GradientBuilder &g) {
  for (unsigned operand : {0, 1})
    if (g.wants(operand))
      g.give(operand, g.ofResult());
  return success();
}

LogicalResult SubOp::buildGradients(GradientBuilder &g) {
  if (g.wants(0))
    g.give(0, g.ofResult());
  if (g.wants(1))
    g.give(1, g.neg(g.ofResult()));
  return success();
}

LogicalResult MulOp::buildGradients(GradientBuilder &g) {
  if (g.wants(0))
    g.give(0, g.mul(g.ofResult(), getRhs()));
  if (g.wants(1))
    g.give(1, g.mul(g.ofResult(), getLhs()));
  return success();
}

LogicalResult DivOp::buildGradients(GradientBuilder &g) {
  Value lhs = g.div(g.ofResult(), getRhs());
  if (g.wants(0))
    g.give(0, lhs);
  if (g.wants(1))
    g.give(1, g.neg(g.mul(lhs, getResult())));
  return success();
}

/// x - y trunc(x / y), and the quotient is (x - result) / y.
LogicalResult RemOp::buildGradients(GradientBuilder &g) {
  if (g.wants(0))
    g.give(0, g.ofResult());
  if (g.wants(1)) {
    Value quotient = g.div(g.sub(getLhs(), getResult()), getRhs());
    Value whole = g.make<RoundOp>(quotient);
    g.give(1, g.neg(g.mul(g.ofResult(), whole)));
  }
  return success();
}

/// At a power of 0 the base has no influence, and at a base of 0 the power has
/// none: neither may become NaN.
LogicalResult PowOp::buildGradients(GradientBuilder &g) {
  Value x = getLhs(), y = getRhs();
  Value zero = g.splat(getType(), 0);
  if (g.wants(0)) {
    Value slope = g.mul(y, g.make<PowOp>(x, g.shift(y, -1)));
    Value flat = g.compare(Direction::EQ, y, zero);
    g.give(0, g.mul(g.ofResult(), g.select(flat, zero, slope)));
  }
  if (g.wants(1)) {
    Value nothing = g.compare(Direction::EQ, x, zero);
    Value log = g.make<LogOp>(g.select(nothing, g.splat(getType(), 1), x));
    g.give(1, g.mul(g.ofResult(), g.mul(getResult(), log)));
  }
  return success();
}

/// The operand that won gets the gradient; equal ones half each.
static void choose(GradientBuilder &g, Direction wins, Value lhs, Value rhs) {
  Value dy = g.ofResult(), half = g.scale(dy, 0.5);
  Value ties = g.select(g.compare(Direction::EQ, lhs, rhs), half,
                        g.splat(dy.getType(), 0));
  if (g.wants(0))
    g.give(0, g.select(g.compare(wins, lhs, rhs), dy, ties));
  if (g.wants(1))
    g.give(1, g.select(g.compare(wins, rhs, lhs), dy, ties));
}

LogicalResult MaxOp::buildGradients(GradientBuilder &g) {
  choose(g, Direction::GT, getLhs(), getRhs());
  return success();
}

LogicalResult MinOp::buildGradients(GradientBuilder &g) {
  choose(g, Direction::LT, getLhs(), getRhs());
  return success();
}

LogicalResult FmaOp::buildGradients(GradientBuilder &g) {
  if (g.wants(0))
    g.give(0, g.mul(g.ofResult(), getRhs()));
  if (g.wants(1))
    g.give(1, g.mul(g.ofResult(), getLhs()));
  if (g.wants(2))
    g.give(2, g.ofResult());
  return success();
}

LogicalResult SelectOp::buildGradients(GradientBuilder &g) {
  if (g.wants(1))
    g.give(1, g.maskedBy(getCondition(), g.ofResult()));
  if (g.wants(2))
    g.give(2, g.select(getCondition(), g.splat(getType(), 0), g.ofResult()));
  return success();
}
