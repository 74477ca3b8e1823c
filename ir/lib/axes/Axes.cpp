// SPDX-License-Identifier: Apache-2.0
// What the rules of all ops share, and the rule of elementwise ops.

#include "Rules.h"

using namespace mlir;

namespace smp::ir {

void OpAxes::keep(int64_t dim) {
  OpAxis &axis = add().operand(0, dim);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    axis.result(dim, i);
}

bool keepsDim(ArrayRef<OpAxis> axes, unsigned operand, int64_t dim) {
  return llvm::any_of(axes, [&](const OpAxis &axis) {
    return axis.operands[operand].contains(dim) &&
           llvm::all_of(axis.results,
                        [](DimRange range) { return range.count > 0; });
  });
}

OpAxes elementwiseAxes(Operation *op) {
  OpAxes axes(op);
  int64_t rank = tensorOf(op->getResult(0)).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    OpAxis &axis = axes.add().result(dim);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      axis.operand(i, dim);
  }
  return axes;
}

OpAxes axesBeside(Operation *op, int64_t axis) {
  OpAxes axes(op);
  int64_t rank = tensorOf(op->getOperand(0)).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      axes.keep(dim);
  return axes;
}

} // namespace smp::ir
