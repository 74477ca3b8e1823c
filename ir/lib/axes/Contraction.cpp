// SPDX-License-Identifier: Apache-2.0
// Axes of products, convolutions, windows and reductions.

#include "Rules.h"
#include "smp/ir/Window.h"

using namespace mlir;
using namespace smp::ir;

OpAxes DotGeneralOp::getAxes() {
  OpAxes axes(*this);
  int64_t next = 0;
  for (auto [l, r] : llvm::zip(getLhsBatch(), getRhsBatch()))
    axes.add().operand(0, l).operand(1, r).result(next++);
  for (int64_t dim = 0; dim < tensorOf(getLhs()).getRank(); ++dim)
    if (!llvm::is_contained(getLhsBatch(), dim) &&
        !llvm::is_contained(getLhsContract(), dim))
      axes.add().operand(0, dim).result(next++);
  for (int64_t dim = 0; dim < tensorOf(getRhs()).getRank(); ++dim)
    if (!llvm::is_contained(getRhsBatch(), dim) &&
        !llvm::is_contained(getRhsContract(), dim))
      axes.add().operand(1, dim).result(next++);
  for (auto [l, r] : llvm::zip(getLhsContract(), getRhsContract()))
    axes.add().operand(0, l).operand(1, r).combines(ReduceKind::Sum);
  return axes;
}

/// The spatial dimensions along which a window stays where it is.
static void keepUnslid(OpAxes &axes, int64_t firstSpatial,
                       const WindowDims &dims) {
  for (size_t i = 0; i < dims.window.size(); ++i)
    if (dims.window[i] == 1 && dims.strides[i] == 1 && dims.low[i] == 0 &&
        dims.high[i] == 0)
      axes.keep(firstSpatial + int64_t(i));
}

OpAxes ConvOp::getAxes() {
  OpAxes axes(*this);
  ActivationDims dims(tensorOf(getInput()), getLayout());
  axes.keep(0);
  axes.add().operand(1, 0).result(dims.featureDim);
  if (getGroups() == 1)
    axes.add()
        .operand(0, dims.featureDim)
        .operand(1, 1)
        .combines(ReduceKind::Sum);
  keepUnslid(axes, dims.firstSpatialDim,
             {tensorOf(getFilter()).getShape().drop_front(2), getStrides(),
              getLow(), getHigh(), getDilations()});
  return axes;
}

/// Of an op that slides a window over each feature by itself.
template <typename OpTy>
static OpAxes axesOfPool(OpTy op) {
  OpAxes axes(op);
  ActivationDims dims(tensorOf(op.getInput()), op.getLayout());
  axes.keep(0);
  axes.keep(dims.featureDim);
  keepUnslid(axes, dims.firstSpatialDim,
             {op.getWindow(), op.getStrides(), op.getLow(), op.getHigh(),
              op.getDilations()});
  return axes;
}

OpAxes WindowReduceOp::getAxes() { return axesOfPool(*this); }
OpAxes AvgPoolOp::getAxes() { return axesOfPool(*this); }

OpAxes ReduceOp::getAxes() {
  OpAxes axes(*this);
  int64_t next = 0;
  for (int64_t dim = 0; dim < tensorOf(getInput()).getRank(); ++dim) {
    OpAxis &axis = axes.add().operand(0, dim);
    if (llvm::is_contained(getDimensions(), dim))
      axis.combines(getKind());
    else
      axis.result(next++);
  }
  return axes;
}

OpAxes ArgReduceOp::getAxes() {
  OpAxes axes(*this);
  int64_t next = 0;
  for (int64_t dim = 0; dim < tensorOf(getInput()).getRank(); ++dim)
    if (dim != int64_t(getAxis()))
      axes.add().operand(0, dim).result(next++);
  return axes;
}

OpAxes ScanOp::getAxes() { return axesBeside(*this, int64_t(getAxis())); }
