// SPDX-License-Identifier: Apache-2.0
// Types, checks and simplifications of ops that move elements.

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace smp::ir;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  if (getDimension() >= static_cast<uint64_t>(rank))
    return emitOpError() << "counts along dimension " << int64_t(getDimension())
                         << " of a tensor of rank " << rank;
  return success();
}

LogicalResult RandomOp::verify() {
  for (Value number : getOperands())
    if (tensorOf(number).getNumElements() != 1)
      return emitOpError() << "takes a " << number.getType()
                           << "; step and microbatch are one number each";
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getInput()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "turns " << from.getNumElements() << " elements ("
                         << from << ") into " << to.getNumElements() << " ("
                         << to << ")";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return elements.reshape(cast<ShapedType>(getType()));
  return {};
}

namespace {
/// reshape(reshape(x)) is one reshape.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

/// transpose(transpose(x)) is one transpose.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};

/// broadcast(broadcast(x)) is one broadcast.
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dimensions;
    for (int64_t dim : inner.getDimensions())
      dimensions.push_back(op.getDimensions()[dim]);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setDimensions(dimensions);
    });
    return success();
  }
};

/// A broadcast that repeats nothing adds dimensions of size one.
struct BroadcastToUnitDims : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    if (tensorOf(op.getInput()).getNumElements() !=
        tensorOf(op.getResult()).getNumElements())
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// A transpose that moves only unit dimensions keeps the order of elements.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (shape[dim] == 1)
        continue;
      if (dim < last)
        return failure();
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (permutation.size() != size_t(input.getRank()) ||
      !isPermutationVector(permutation))
    return emitOptionalError(location, "permutation [", permutation,
                             "] does not reorder the ", input.getRank(),
                             " dimensions of ", input);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(input.getDimSize(dim));
  types.push_back(input.clone(shape));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation()))
    return getInput();
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (elements && elements.isSplat())
    return elements.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes, TransposeOfUnitDims>(context);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tensorOf(getInput()), to = tensorOf(getResult());
  ArrayRef<int64_t> dimensions = getDimensions();
  if (dimensions.size() != size_t(from.getRank()))
    return emitOpError() << "maps " << dimensions.size()
                         << " dimensions of a rank " << from.getRank()
                         << " tensor";
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(dimensions)) {
    if (dim <= last || dim >= to.getRank())
      return emitOpError() << "dimensions [" << dimensions
                           << "] must ascend within 0.." << to.getRank() - 1;
    last = dim;
    int64_t size = from.getDimSize(i);
    if (size != 1 && size != to.getDimSize(dim))
      return emitOpError() << "cannot stretch dimension " << i << " of size "
                           << size << " to size " << to.getDimSize(dim);
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (elements && elements.isSplat())
    return elements.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<BroadcastToUnitDims, MergeBroadcasts>(context);
}

//===----------------------------------------------------------------------===//
// slice, reverse
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  size_t rank = input.getRank();
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(location, "needs ", rank,
                             " starts, limits and strides for ", input);
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] ||
        limits[i] > input.getDimSize(i) || strides[i] < 1)
      return emitOptionalError(location, "slices ", starts[i], ":", limits[i],
                               ":", strides[i], " from dimension ", i,
                               " of size ", input.getDimSize(i));
    shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  types.push_back(input.clone(shape));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (elements && elements.isSplat())
    return elements.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

LogicalResult ReverseOp::verify() {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : getDimensions())
    if (dim < 0 || dim >= tensorOf(getInput()).getRank() ||
        !seen.insert(dim).second)
      return emitOpError() << "dimensions [" << getDimensions()
                           << "] must be distinct and in 0.."
                           << tensorOf(getInput()).getRank() - 1;
  return success();
}

//===----------------------------------------------------------------------===//
// pad, concat
//===----------------------------------------------------------------------===//

/// Size of a padded dimension, or nothing when the mode cannot fill it.
static std::optional<int64_t> paddedSize(PadMode mode, int64_t size,
                                         int64_t low, int64_t high,
                                         int64_t interior) {
  if (interior < 0 || (interior > 0 && mode != PadMode::Constant))
    return std::nullopt;
  int64_t result =
      size + low + high + interior * std::max<int64_t>(size - 1, 0);
  if (result < 0)
    return std::nullopt;
  int64_t widest = std::max(low, high);
  if ((mode == PadMode::Reflect && widest > size - 1 && widest > 0) ||
      (mode == PadMode::Wrap && widest > size) ||
      (mode == PadMode::Edge && widest > 0 && size == 0))
    return std::nullopt;
  return result;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  auto value = tensorOf(adaptor.getValue());
  size_t rank = input.getRank();
  if (value.getRank() != 0 || value.getElementType() != input.getElementType())
    return emitOptionalError(location, "fills ", input, " with ", value,
                             "; the fill is a scalar of the same element type");
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(location, "needs ", rank,
                             " low, high and interior paddings for ", input);
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    auto size = paddedSize(adaptor.getMode(), input.getDimSize(i), low[i],
                           high[i], interior[i]);
    if (!size)
      return emitOptionalError(location, "cannot pad dimension ", i,
                               " of size ", input.getDimSize(i), " by low ",
                               low[i], ", high ", high[i], ", interior ",
                               interior[i], " in mode ",
                               stringifyPadMode(adaptor.getMode()));
    shape.push_back(*size);
  }
  types.push_back(input.clone(shape));
  return success();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero) &&
      llvm::all_of(getInterior(), isZero))
    return getInput();
  return {};
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "joins nothing");
  auto first = tensorOf(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(location, "joins along axis ", axis,
                             " of tensors of rank ", first.getRank());
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value input : adaptor.getInputs()) {
    auto type = tensorOf(input);
    SmallVector<int64_t> other(type.getShape());
    if (type.getRank() == first.getRank())
      other[axis] = first.getDimSize(axis);
    if (ArrayRef(other) != first.getShape() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(location, "cannot join ", type, " to ", first,
                               " along axis ", axis);
    shape[axis] += type.getDimSize(axis);
  }
  types.push_back(first.clone(shape));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front())
                                 : OpFoldResult();
}
