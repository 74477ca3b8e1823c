// SPDX-License-Identifier: Apache-2.0
// Axes of ops whose elements are chosen by data.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

OpAxes GatherOp::getAxes() {
  OpAxes axes(*this);
  auto axis = int64_t(getAxis());
  int64_t indices = tensorOf(getIndices()).getRank();
  for (int64_t dim = 0; dim < indices; ++dim)
    axes.add().operand(1, dim).result(axis + dim);
  for (int64_t dim = 0; dim < tensorOf(getInput()).getRank(); ++dim)
    if (dim != axis)
      axes.add().operand(0, dim).result(dim < axis ? dim : dim - 1 + indices);
  return axes;
}

/// The dimensions but `axis` in which `part`, whose places are those of
/// `whole`, is as large.
static SmallVector<int64_t> sharedDims(Value whole, Value part, int64_t axis) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < tensorOf(whole).getRank(); ++dim)
    if (dim != axis &&
        tensorOf(whole).getDimSize(dim) == tensorOf(part).getDimSize(dim))
      dims.push_back(dim);
  return dims;
}

OpAxes GatherElementsOp::getAxes() {
  OpAxes axes(*this);
  for (int64_t dim : sharedDims(getInput(), getIndices(), int64_t(getAxis())))
    axes.add().operand(0, dim).operand(1, dim).result(dim);
  return axes;
}

OpAxes GatherNdOp::getAxes() {
  OpAxes axes(*this);
  auto batch = int64_t(getBatchDims());
  RankedTensorType indices = tensorOf(getIndices());
  int64_t rank = indices.getRank();
  for (int64_t dim = 0; dim < batch; ++dim)
    axes.add().operand(0, dim).operand(1, dim).result(dim);
  for (int64_t dim = batch; dim < rank - 1; ++dim)
    axes.add().operand(1, dim).result(dim);
  int64_t next = rank - 1;
  for (int64_t dim = batch + indices.getShape().back();
       dim < tensorOf(getInput()).getRank(); ++dim)
    axes.add().operand(0, dim).result(next++);
  return axes;
}

OpAxes ScatterElementsOp::getAxes() {
  OpAxes axes(*this);
  for (int64_t dim : sharedDims(getInput(), getIndices(), int64_t(getAxis())))
    axes.add().operand(0, dim).operand(1, dim).operand(2, dim).result(dim);
  return axes;
}

OpAxes ScatterNdOp::getAxes() {
  OpAxes axes(*this);
  RankedTensorType indices = tensorOf(getIndices());
  int64_t next = indices.getRank() - 1;
  for (int64_t dim = indices.getShape().back();
       dim < tensorOf(getInput()).getRank(); ++dim)
    axes.add().operand(0, dim).operand(2, next++).result(dim);
  return axes;
}

OpAxes TopKOp::getAxes() { return axesBeside(*this, int64_t(getAxis())); }
