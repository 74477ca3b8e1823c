// SPDX-License-Identifier: Apache-2.0
// Axes of composites that are not elementwise.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

OpAxes SoftmaxOp::getAxes() { return axesBeside(*this, int64_t(getAxis())); }
OpAxes LogSoftmaxOp::getAxes() { return axesBeside(*this, int64_t(getAxis())); }

/// Of a norm over the dimensions from `axis` on.
static OpAxes axesBefore(Operation *op, int64_t axis) {
  OpAxes axes(op);
  for (int64_t dim = 0; dim < axis; ++dim)
    axes.keep(dim);
  return axes;
}

OpAxes LayerNormOp::getAxes() { return axesBefore(*this, int64_t(getAxis())); }
OpAxes RmsNormOp::getAxes() { return axesBefore(*this, int64_t(getAxis())); }

OpAxes BatchNormOp::getAxes() {
  auto axis = int64_t(getAxis());
  OpAxes axes = axesBeside(*this, axis);
  axes.add()
      .operand(0, axis)
      .operand(1, 0)
      .operand(2, 0)
      .operand(3, 0)
      .operand(4, 0)
      .result(axis);
  return axes;
}
