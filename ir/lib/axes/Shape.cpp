// SPDX-License-Identifier: Apache-2.0
// Axes of ops that make or move elements.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

/// Whether all elements along a dimension are equal, bit by bit; it has `size`
/// places that are `stride` elements apart.
static bool isConstantAlong(DenseElementsAttr elements, int64_t size,
                            int64_t stride) {
  if (elements.isSplat() || size <= 1)
    return true;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    elements = elements.bitcast(
        IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth()));
  auto values = elements.getValues<APInt>();
  for (int64_t i = 0; i < elements.getNumElements(); ++i)
    if (i / stride % size != 0 && values[i] != values[i - stride])
      return false;
  return true;
}

OpAxes ConstantOp::getAxes() {
  OpAxes axes(*this);
  auto elements = dyn_cast<DenseElementsAttr>(getValue());
  if (!elements)
    return axes;
  int64_t stride = elements.getNumElements();
  for (auto [dim, size] : llvm::enumerate(elements.getType().getShape())) {
    stride /= std::max<int64_t>(size, 1);
    if (isConstantAlong(elements, size, stride))
      axes.add().result(int64_t(dim));
  }
  return axes;
}

OpAxes IotaOp::getAxes() {
  OpAxes axes(*this);
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != int64_t(getDimension()))
      axes.add().result(dim);
  return axes;
}

/// No two draws are the same.
OpAxes RandomOp::getAxes() { return OpAxes(*this); }

/// The shortest runs of dimensions that hold as many elements before and after,
/// from the first dimensions on. What is left in the end, of size one, belongs
/// to the last.
static SmallVector<std::pair<DimRange, DimRange>>
groupDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::pair<DimRange, DimRange>> groups;
  auto fromRank = int64_t(from.size()), toRank = int64_t(to.size());
  DimRange before, after;
  int64_t beforeSize = 1, afterSize = 1;
  while (before.first + before.count < fromRank &&
         after.first + after.count < toRank) {
    bool isNew = before.count == 0;
    if (isNew || beforeSize < afterSize)
      beforeSize *= from[before.first + before.count++];
    if (isNew || afterSize < beforeSize)
      afterSize *= to[after.first + after.count++];
    if (beforeSize != afterSize)
      continue;
    groups.emplace_back(before, after);
    before = {before.first + before.count, 0};
    after = {after.first + after.count, 0};
    beforeSize = afterSize = 1;
  }
  if (groups.empty() || before.count || after.count)
    groups.emplace_back(before, after);
  DimRange &lastBefore = groups.back().first, &lastAfter = groups.back().second;
  lastBefore.count = fromRank - lastBefore.first;
  lastAfter.count = toRank - lastAfter.first;
  return groups;
}

/// The same from the last dimensions on.
static SmallVector<std::pair<DimRange, DimRange>>
groupDimsFromEnd(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto mirrored = [](DimRange range, size_t rank) {
    return DimRange{int64_t(rank) - range.first - range.count, range.count};
  };
  auto groups = groupDims(llvm::to_vector(llvm::reverse(from)),
                          llvm::to_vector(llvm::reverse(to)));
  for (auto &[before, after] : groups) {
    before = mirrored(before, from.size());
    after = mirrored(after, to.size());
  }
  return groups;
}

/// Where dimensions of size one come from cannot be known: what can be said
/// from the first dimensions on is said, and what can from the last.
OpAxes ReshapeOp::getAxes() {
  OpAxes axes(*this);
  ArrayRef<int64_t> from = tensorOf(getInput()).getShape(),
                    to = tensorOf(getResult()).getShape();
  for (auto [before, after] : groupDims(from, to))
    axes.add().operand(0, before).result(after);
  for (auto [before, after] : groupDimsFromEnd(from, to))
    axes.add().operand(0, before).result(after);
  return axes;
}

OpAxes TransposeOp::getAxes() {
  OpAxes axes(*this);
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    axes.add().operand(0, dim).result(int64_t(i));
  return axes;
}

OpAxes BroadcastOp::getAxes() {
  OpAxes axes(*this);
  ArrayRef<int64_t> from = tensorOf(getInput()).getShape(),
                    to = tensorOf(getResult()).getShape();
  for (int64_t dim = 0; dim < int64_t(to.size()); ++dim) {
    OpAxis &axis = axes.add().result(dim);
    const auto *found = llvm::find(getDimensions(), dim);
    if (found == getDimensions().end())
      continue;
    int64_t source = found - getDimensions().begin();
    if (from[source] == to[dim])
      axis.operand(0, source);
  }
  return axes;
}

OpAxes SliceOp::getAxes() {
  OpAxes axes(*this);
  ArrayRef<int64_t> shape = tensorOf(getInput()).getShape();
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (getStarts()[dim] == 0 && getLimits()[dim] == shape[dim] &&
        getStrides()[dim] == 1)
      axes.keep(dim);
  return axes;
}

OpAxes ReverseOp::getAxes() {
  OpAxes axes(*this);
  for (int64_t dim = 0; dim < tensorOf(getInput()).getRank(); ++dim)
    if (!llvm::is_contained(getDimensions(), dim))
      axes.keep(dim);
  return axes;
}

OpAxes PadOp::getAxes() {
  OpAxes axes(*this);
  for (int64_t dim = 0; dim < tensorOf(getInput()).getRank(); ++dim)
    if (getLow()[dim] == 0 && getHigh()[dim] == 0 && getInterior()[dim] == 0)
      axes.keep(dim);
  return axes;
}

OpAxes ConcatOp::getAxes() {
  OpAxes axes(*this);
  for (int64_t dim = 0; dim < tensorOf(getResult()).getRank(); ++dim) {
    if (dim == int64_t(getAxis()))
      continue;
    OpAxis &axis = axes.add().result(dim);
    for (unsigned i = 0; i < getInputs().size(); ++i)
      axis.operand(i, dim);
  }
  return axes;
}
