// SPDX-License-Identifier: Apache-2.0
// Broadcasting, moving and combining elements.

#include "Emitter.h"
#include "smp/base/Lists.h"
#include "smp/ir/Constants.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

std::string text(Ints shape) { return "[" + smp::join(shape, ", ") + "]"; }

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void Emitter::alignShapes(Value &x, Value &y) {
  if (!x || !y || shapeOf(x) == shapeOf(y))
    return;
  auto shape = broadcastShapes(shapeOf(x), shapeOf(y));
  if (!shape) {
    x = y = error("has operands of shapes " + text(shapeOf(x)) + " and " +
                  text(shapeOf(y)) + ", which do not broadcast");
    return;
  }
  x = broadcastTo(x, *shape);
  y = broadcastTo(y, *shape);
}

Value Emitter::broadcastTo(Value x, Ints shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  int64_t shift = int64_t(shape.size()) - rankOf(x);
  if (shift < 0)
    return error("cannot broadcast shape " + text(shapeOf(x)) + " to " +
                 text(shape));
  IntVector dims;
  for (int64_t i = 0; i < rankOf(x); ++i)
    dims.push_back(i + shift);
  return make<BroadcastOp>(x, {attr("dimensions", dims)},
                           typeOf(x).clone(shape));
}

Value Emitter::broadcastAlong(Value vector, Ints shape, int64_t dim) {
  if (!vector)
    return {};
  return make<BroadcastOp>(vector, {attr("dimensions", Ints(dim))},
                           typeOf(vector).clone(shape));
}

Value Emitter::compare(Direction direction, Value x, Value y) {
  alignShapes(x, y);
  return make<CompareOp>(
      {x, y},
      {attr("direction", DirectionAttr::get(builder.getContext(), direction))});
}

Value Emitter::compare(Direction direction, Value x, double y) {
  return compare(direction, x, splat(typeOf(x), y));
}

Value Emitter::select(Value condition, Value onTrue, Value onFalse) {
  alignShapes(onTrue, onFalse);
  alignShapes(condition, onTrue);
  alignShapes(condition, onFalse);
  return make<SelectOp>({condition, onTrue, onFalse}, {}, typeOf(onTrue));
}

Type Emitter::accurate(Type element) {
  bool isNarrow = isa_and_nonnull<Float16Type, BFloat16Type>(element);
  return isNarrow ? Type(builder.getF32Type()) : element;
}

Value Emitter::convert(Value x, Type element) {
  if (!x || !element)
    return {};
  if (elementOf(x) == element)
    return x;
  return make<ConvertOp>(x, {}, RankedTensorType::get(shapeOf(x), element));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Value Emitter::reshape(Value x, Ints shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return make<ReshapeOp>(x, {}, typeOf(x).clone(shape));
}

/// Whether `dim` is in 0..count-1; if not, that has been told.
static bool checkDim(Emitter &e, int64_t dim, int64_t count) {
  if (dim >= 0 && dim < count)
    return true;
  e.error("works on dimension " + Twine(dim) + " of " + Twine(count));
  return false;
}

/// As a broadcast, which says where each dimension goes.
Value Emitter::addUnitDims(Value x, Ints shape, Ints kept) {
  if (!x || shapeOf(x) == shape)
    return x;
  return make<BroadcastOp>(x, {attr("dimensions", kept)},
                           typeOf(x).clone(shape));
}

Value Emitter::unsqueeze(Value x, int64_t dim) {
  if (!x || !checkDim(*this, dim, rankOf(x) + 1))
    return {};
  IntVector shape(shapeOf(x)), kept;
  shape.insert(shape.begin() + dim, 1);
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (i != dim)
      kept.push_back(i);
  return addUnitDims(x, shape, kept);
}

Value Emitter::squeeze(Value x, int64_t dim) {
  if (!x || !checkDim(*this, dim, rankOf(x)))
    return {};
  IntVector shape(shapeOf(x));
  shape.erase(shape.begin() + dim);
  return reshape(x, shape);
}

Value Emitter::transpose(Value x, Ints permutation) {
  return make<TransposeOp>(x, {attr("permutation", permutation)});
}

Value Emitter::slice(Value x, Ints starts, Ints limits, Ints strides) {
  return make<SliceOp>(x, {attr("starts", starts), attr("limits", limits),
                           attr("strides", strides)});
}

Value Emitter::slice(Value x, int64_t dim, int64_t start, int64_t limit,
                     int64_t stride) {
  if (!x || !checkDim(*this, dim, rankOf(x)))
    return {};
  IntVector starts(rankOf(x), 0), limits(shapeOf(x)), strides(rankOf(x), 1);
  starts[dim] = start;
  limits[dim] = limit;
  strides[dim] = stride;
  return slice(x, starts, limits, strides);
}

Value Emitter::take(Value x, int64_t dim, int64_t index) {
  return squeeze(slice(x, dim, index, index + 1), dim);
}

Value Emitter::reverse(Value x, Ints dims) {
  return dims.empty() ? x : make<ReverseOp>(x, {attr("dimensions", dims)});
}

Value Emitter::concat(ValueRange inputs, int64_t axis) {
  return make<ConcatOp>(inputs, {attr("axis", axis)});
}

Value Emitter::pad(Value x, Ints low, Ints high, Value value, PadMode mode,
                   Ints interior) {
  if (!value)
    value = scalar(elementOf(x), 0);
  IntVector none(rankOf(x), 0);
  return make<PadOp>(
      {x, value}, {attr("low", low), attr("high", high),
                   attr("interior", interior.empty() ? Ints(none) : interior),
                   attr("mode", PadModeAttr::get(builder.getContext(), mode))});
}

Value Emitter::gather(Value x, Value indices, int64_t axis) {
  return make<GatherOp>({x, indices}, {attr("axis", axis)});
}

Value Emitter::normaliseIndices(Value indices, int64_t size) {
  return indices
             ? normaliseIndices(indices, splat(typeOf(indices), double(size)))
             : Value();
}

Value Emitter::normaliseIndices(Value indices, Value sizes) {
  auto known = constantInts(indices);
  if (known && llvm::all_of(*known, [](int64_t index) { return index >= 0; }))
    return indices;
  Value fromStart = binary<AddOp>(indices, sizes);
  Value isFromEnd = binary<AndOp>(compare(Direction::LT, indices, 0.0),
                                  compare(Direction::GE, fromStart, 0.0));
  return select(isFromEnd, fromStart, indices);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

Value Emitter::reduce(ReduceKind kind, Value x, Ints dims, bool keepDims) {
  Value result = make<ReduceOp>(
      x, {attr("kind", ReduceKindAttr::get(builder.getContext(), kind)),
          attr("dimensions", dims)});
  if (!result || !keepDims)
    return result;
  IntVector shape(shapeOf(x));
  IntVector kept;
  for (int64_t dim = 0; dim < rankOf(x); ++dim)
    if (llvm::is_contained(dims, dim))
      shape[dim] = 1;
    else
      kept.push_back(dim);
  return addUnitDims(result, shape, kept);
}

Value Emitter::mean(Value x, Ints dims, bool keepDims) {
  double count = 1;
  for (int64_t dim : dims)
    count *= double(dimOf(x, dim));
  Value wide = convert(x, accurate(elementOf(x)));
  Value sum = reduce(ReduceKind::Sum, wide, dims, keepDims);
  return convert(binary<DivOp>(sum, count), elementOf(x));
}

Value Emitter::softmax(Value x, int64_t axis) {
  return make<SoftmaxOp>(x, {attr("axis", axis)});
}

Value Emitter::dot(Value lhs, Value rhs, Ints lhsBatch, Ints rhsBatch,
                   Ints lhsContract, Ints rhsContract) {
  return make<DotGeneralOp>({lhs, rhs}, {attr("lhs_batch", lhsBatch),
                                         attr("rhs_batch", rhsBatch),
                                         attr("lhs_contract", lhsContract),
                                         attr("rhs_contract", rhsContract)});
}

/// A stack of matrices by one matrix: no batch dimensions are needed.
static bool isPlainProduct(Value lhs, Value rhs) {
  return rankOf(rhs) == 2 && rankOf(lhs) >= 2;
}

Value Emitter::matmul(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  if (!rankOf(lhs) || !rankOf(rhs))
    return error("multiplies a scalar as a matrix");
  bool lhsIsVector = rankOf(lhs) == 1, rhsIsVector = rankOf(rhs) == 1;
  if (lhsIsVector)
    lhs = unsqueeze(lhs, 0);
  if (rhsIsVector)
    rhs = unsqueeze(rhs, 1);
  Value result;
  if (isPlainProduct(lhs, rhs)) {
    result = dot(lhs, rhs, {}, {}, {rankOf(lhs) - 1}, {0});
  } else {
    auto batch =
        broadcastShapes(shapeOf(lhs).drop_back(2), shapeOf(rhs).drop_back(2));
    if (!batch)
      return error("multiplies stacks of matrices of shapes " +
                   text(shapeOf(lhs)) + " and " + text(shapeOf(rhs)) +
                   ", which do not broadcast");
    IntVector left(*batch), right(*batch), dims = range(int64_t(batch->size()));
    left.append(shapeOf(lhs).end() - 2, shapeOf(lhs).end());
    right.append(shapeOf(rhs).end() - 2, shapeOf(rhs).end());
    lhs = broadcastTo(lhs, left);
    rhs = broadcastTo(rhs, right);
    int64_t rank = int64_t(left.size());
    result = dot(lhs, rhs, dims, dims, {rank - 1}, {rank - 2});
  }
  if (rhsIsVector && result)
    result = squeeze(result, rankOf(result) - 1);
  if (lhsIsVector && result)
    result = squeeze(result, rankOf(result) - (rhsIsVector ? 1 : 2));
  return result;
}

} // namespace smp::frontend
