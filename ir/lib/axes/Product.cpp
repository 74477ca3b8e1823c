// SPDX-License-Identifier: Apache-2.0
// Axes of products with packed operands. How these lie is between kernels.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

OpAxes PackOp::getAxes() { return OpAxes(*this); }

OpAxes PackedMatmulOp::getAxes() {
  OpAxes axes(*this);
  int64_t rank = tensorOf(getLhs()).getRank();
  for (int64_t dim = getShared() ? 0 : rank - 2; dim < rank - 1; ++dim)
    axes.keep(dim);
  return axes;
}

OpAxes PackedConvOp::getAxes() {
  OpAxes axes(*this);
  axes.keep(0);
  return axes;
}

OpAxes DepthwiseConvOp::getAxes() {
  OpAxes axes(*this);
  axes.keep(0);
  int64_t last = tensorOf(getInput()).getRank() - 1;
  axes.add()
      .operand(0, last)
      .operand(1, tensorOf(getFilter()).getRank() - 1)
      .result(last);
  return axes;
}
