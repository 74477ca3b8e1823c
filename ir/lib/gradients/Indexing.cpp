// SPDX-License-Identifier: Apache-2.0
// Gradients of ops whose elements are chosen by data. What is taken is added
// back where it came from; indices have no gradient.

#include "Rules.h"
#include <limits>

using namespace mlir;
using namespace smp::ir;

//===----------------------------------------------------------------------===//
// Taking
//===----------------------------------------------------------------------===//

Value smp::ir::addGathered(GradientBuilder &g, Value gradient, Value indices,
                           int64_t axis, int64_t size) {
  RankedTensorType type = tensorOf(gradient), list = tensorOf(indices);
  int64_t tuples = list.getRank();
  // [before, indices, after] to [indices, before, after].
  SmallVector<int64_t> order;
  llvm::append_range(order, rangeOf(axis, axis + tuples));
  llvm::append_range(order, rangeOf(0, axis));
  llvm::append_range(order, rangeOf(axis + tuples, type.getRank()));
  Value updates = g.transpose(gradient, order);

  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, tensorOf(updates).getShape().drop_front(tuples));
  SmallVector<int64_t> tupleShape(list.getShape());
  tupleShape.push_back(1);
  auto sumType = type.clone(shape);
  Value sum = g.make<ScatterNdOp>(sumType, g.splat(sumType, 0),
                                  g.reshape(indices, tupleShape), updates,
                                  ScatterKind::Sum);
  // [axis, before, after] to [before, axis, after].
  SmallVector<int64_t> back = rangeOf(1, axis + 1);
  back.push_back(0);
  llvm::append_range(back, rangeOf(axis + 1, shape.size()));
  return g.transpose(sum, back);
}

LogicalResult GatherOp::buildGradients(GradientBuilder &g) {
  g.give(0, addGathered(g, g.ofResult(), getIndices(), getAxis(),
                        tensorOf(getInput()).getDimSize(getAxis())));
  return success();
}

/// Whether of each row along `axis` one element is taken.
static bool takesOnePerRow(RankedTensorType input, RankedTensorType indices,
                           int64_t axis) {
  SmallVector<int64_t> rows(input.getShape());
  rows[axis] = 1;
  return indices.getShape() == ArrayRef(rows);
}

/// Compares each position along `axis` with that of its row's index: a loop
/// over all elements, where a scatter would go one by one.
static Value placedByComparing(GradientBuilder &g, RankedTensorType type,
                               Value indices, Value gradient, int64_t axis) {
  if (type.getDimSize(axis) <= std::numeric_limits<int32_t>::max()) {
    auto narrow = tensorOf(indices).clone(g.getBuilder().getI32Type());
    if (indices.getType() != narrow)
      indices = g.make<ConvertOp>(narrow, indices);
  }
  auto positions = type.clone(tensorOf(indices).getElementType());
  auto everywhere = [&](RankedTensorType to, Value x) {
    return g.make<BroadcastOp>(to, x, rangeOf(0, type.getRank()));
  };
  Value isTaken = g.compare(Direction::EQ, g.make<IotaOp>(positions, axis),
                            everywhere(positions, indices));
  return g.maskedBy(isTaken, everywhere(type, gradient));
}

LogicalResult GatherElementsOp::buildGradients(GradientBuilder &g) {
  RankedTensorType type = tensorOf(getInput());
  int64_t axis = getAxis();
  if (takesOnePerRow(type, tensorOf(getIndices()), axis)) {
    g.give(0, placedByComparing(g, type, getIndices(), g.ofResult(), axis));
    return success();
  }
  g.give(0, g.make<ScatterElementsOp>(type, g.splat(type, 0), getIndices(),
                                      g.ofResult(), axis, ScatterKind::Sum));
  return success();
}

/// Index tuples with the batch's own position before them.
static Value withBatchIndices(GradientBuilder &g, Value indices,
                              int64_t batchDims) {
  RankedTensorType type = tensorOf(indices);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  SmallVector<Value> parts;
  for (int64_t dim = 0; dim < batchDims; ++dim)
    parts.push_back(g.make<IotaOp>(type.clone(shape), dim));
  parts.push_back(indices);
  if (batchDims == 0)
    return indices;
  return g.make<ConcatOp>(parts, type.getRank() - 1);
}

LogicalResult GatherNdOp::buildGradients(GradientBuilder &g) {
  Type type = getInput().getType();
  g.give(0,
         g.make<ScatterNdOp>(type, g.splat(type, 0),
                             withBatchIndices(g, getIndices(), getBatchDims()),
                             g.ofResult(), ScatterKind::Sum));
  return success();
}

LogicalResult TopKOp::buildGradients(GradientBuilder &g) {
  Type type = getInput().getType();
  g.give(0,
         g.make<ScatterElementsOp>(type, g.splat(type, 0), getResult(1),
                                   g.ofResult(), getAxis(), ScatterKind::Sum));
  return success();
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

static LogicalResult refuse(Operation *op, ScatterKind kind) {
  return op->emitOpError() << "of kind " << stringifyScatterKind(kind)
                           << " has no gradient; only sum and replace have";
}

/// 0, 1, 2, ... in row-major order.
static Value numbered(GradientBuilder &g, ArrayRef<int64_t> shape) {
  Type i64 = g.getBuilder().getI64Type();
  int64_t count = ShapedType::getNumElements(shape);
  Value flat = g.make<IotaOp>(RankedTensorType::get(count, i64), 0);
  return g.reshape(flat, shape);
}

LogicalResult ScatterElementsOp::buildGradients(GradientBuilder &g) {
  Value dy = g.ofResult();
  bool replaces = getKind() == ScatterKind::Replace;
  if (!replaces && getKind() != ScatterKind::Sum)
    return refuse(*this, getKind());
  Type updates = getUpdates().getType();
  if (g.wants(0))
    g.give(0, replaces ? g.make<ScatterElementsOp>(
                             getType(), dy, getIndices(), g.splat(updates, 0),
                             getAxis(), ScatterKind::Replace)
                       : dy);
  if (!g.wants(2))
    return success();
  Value taken = g.make<GatherElementsOp>(dy, getIndices(), getAxis());
  if (replaces) {
    // Of updates on the same element the last one stays.
    Value numbers = numbered(g, tensorOf(getUpdates()).getShape());
    auto type = RankedTensorType::get(tensorOf(getResult()).getShape(),
                                      g.getBuilder().getI64Type());
    Value last =
        g.make<ScatterElementsOp>(type, g.splat(type, -1), getIndices(),
                                  numbers, getAxis(), ScatterKind::Replace);
    Value stays = g.make<GatherElementsOp>(last, getIndices(), getAxis());
    taken = g.maskedBy(g.compare(Direction::EQ, stays, numbers), taken);
  }
  g.give(2, taken);
  return success();
}

LogicalResult ScatterNdOp::buildGradients(GradientBuilder &g) {
  Value dy = g.ofResult(), indices = getIndices();
  bool replaces = getKind() == ScatterKind::Replace;
  if (!replaces && getKind() != ScatterKind::Sum)
    return refuse(*this, getKind());
  RankedTensorType updates = tensorOf(getUpdates());
  if (g.wants(0))
    g.give(0, replaces ? g.make<ScatterNdOp>(getType(), dy, indices,
                                             g.splat(updates, 0),
                                             ScatterKind::Replace)
                       : dy);
  if (!g.wants(2))
    return success();
  Value taken = g.make<GatherNdOp>(dy, indices, /*batch_dims=*/0);
  if (replaces) {
    // Of tuples that are equal the last one's slice stays.
    ArrayRef<int64_t> tuples = tensorOf(indices).getShape();
    Value numbers = numbered(g, tuples.drop_back());
    auto type = RankedTensorType::get(
        tensorOf(getResult()).getShape().take_front(tuples.back()),
        g.getBuilder().getI64Type());
    Value last = g.make<ScatterNdOp>(type, g.splat(type, -1), indices, numbers,
                                     ScatterKind::Replace);
    Value stays =
        g.compare(Direction::EQ,
                  g.make<GatherNdOp>(last, indices, /*batch_dims=*/0), numbers);
    auto mask = updates.clone(g.getBuilder().getI1Type());
    SmallVector<int64_t> leading = rangeOf(0, int64_t(tuples.size()) - 1);
    taken = g.maskedBy(g.make<BroadcastOp>(mask, stays, leading), taken);
  }
  g.give(2, taken);
  return success();
}
