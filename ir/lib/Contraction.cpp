// SPDX-License-Identifier: Apache-2.0
// Types, checks and costs of products, convolutions, windows and reductions.

#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"

using namespace mlir;
using namespace smp::ir;

static double elementsOf(Value value) {
  return double(tensorOf(value).getNumElements());
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// Whether `dims` are distinct and below `rank`.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank,
                    llvm::SmallDenseSet<int64_t> &seen) {
  return llvm::all_of(dims, [&](int64_t dim) {
    return dim >= 0 && dim < rank && seen.insert(dim).second;
  });
}

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto lhs = tensorOf(adaptor.getLhs()), rhs = tensorOf(adaptor.getRhs());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(location, "multiplies ", lhs, " by ", rhs,
                             "; element types must agree");
  llvm::SmallDenseSet<int64_t> lhsUsed, rhsUsed;
  if (!areDims(adaptor.getLhsBatch(), lhs.getRank(), lhsUsed) ||
      !areDims(adaptor.getLhsContract(), lhs.getRank(), lhsUsed) ||
      !areDims(adaptor.getRhsBatch(), rhs.getRank(), rhsUsed) ||
      !areDims(adaptor.getRhsContract(), rhs.getRank(), rhsUsed))
    return emitOptionalError(location,
                             "batch and contracting dimensions must be "
                             "distinct dimensions of ",
                             lhs, " and ", rhs);
  SmallVector<int64_t> shape;
  auto pair = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right,
                  StringRef what, bool keep) -> LogicalResult {
    if (left.size() != right.size())
      return emitOptionalError(location, "has ", left.size(), " lhs but ",
                               right.size(), " rhs ", what, " dimensions");
    for (auto [l, r] : llvm::zip(left, right)) {
      if (lhs.getDimSize(l) != rhs.getDimSize(r))
        return emitOptionalError(location, what, " dimension ", l,
                                 " of lhs has size ", lhs.getDimSize(l),
                                 ", dimension ", r, " of rhs has ",
                                 rhs.getDimSize(r));
      if (keep)
        shape.push_back(lhs.getDimSize(l));
    }
    return success();
  };
  if (failed(
          pair(adaptor.getLhsBatch(), adaptor.getRhsBatch(), "batch", true)) ||
      failed(pair(adaptor.getLhsContract(), adaptor.getRhsContract(),
                  "contracting", false)))
    return failure();
  for (int64_t dim = 0; dim < lhs.getRank(); ++dim)
    if (!lhsUsed.contains(dim))
      shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim = 0; dim < rhs.getRank(); ++dim)
    if (!rhsUsed.contains(dim))
      shape.push_back(rhs.getDimSize(dim));
  types.push_back(lhs.clone(shape));
  return success();
}

double DotGeneralOp::getFlops() {
  double depth = 1;
  for (int64_t dim : getLhsContract())
    depth *= double(tensorOf(getLhs()).getDimSize(dim));
  return 2 * depth * elementsOf(getResult());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>>
smp::ir::inferWindowedShape(std::optional<Location> location,
                            ArrayRef<int64_t> input, const WindowDims &dims) {
  size_t rank = input.size();
  for (ArrayRef<int64_t> list :
       {dims.window, dims.strides, dims.low, dims.high, dims.dilations})
    if (list.size() != rank)
      return emitOptionalError(location, "has ", list.size(),
                               " window attributes for ", rank,
                               " spatial dimensions");
  SmallVector<int64_t> result;
  for (size_t i = 0; i < rank; ++i) {
    if (dims.window[i] < 1 || dims.strides[i] < 1 || dims.dilations[i] < 1)
      return emitOptionalError(location, "spatial dimension ", i,
                               " has window ", dims.window[i], ", stride ",
                               dims.strides[i], ", dilation ",
                               dims.dilations[i], "; each must be >= 1");
    int64_t padded = input[i] + dims.low[i] + dims.high[i];
    int64_t reach = (dims.window[i] - 1) * dims.dilations[i] + 1;
    if (padded < reach)
      return emitOptionalError(location, "spatial dimension ", i,
                               " has padded size ", padded,
                               ", less than the window's ", reach);
    result.push_back((padded - reach) / dims.strides[i] + 1);
  }
  return result;
}

ActivationDims::ActivationDims(RankedTensorType type, Layout layout) {
  ArrayRef<int64_t> shape = type.getShape();
  featureDim = layout == Layout::ChannelsFirst ? 1 : type.getRank() - 1;
  firstSpatialDim = layout == Layout::ChannelsFirst ? 2 : 1;
  batch = shape[0];
  features = shape[featureDim];
  spatial.assign(shape.begin() + firstSpatialDim,
                 shape.begin() + firstSpatialDim + type.getRank() - 2);
}

SmallVector<int64_t> ActivationDims::shapeOf(Layout layout, int64_t batch,
                                             int64_t features,
                                             ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> shape{batch};
  if (layout == Layout::ChannelsFirst)
    shape.push_back(features);
  llvm::append_range(shape, spatial);
  if (layout == Layout::ChannelsLast)
    shape.push_back(features);
  return shape;
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput()),
       filter = tensorOf(adaptor.getFilter());
  if (input.getRank() < 3 || filter.getRank() != input.getRank() ||
      filter.getElementType() != input.getElementType())
    return emitOptionalError(location, "convolves ", input, " with ", filter,
                             "; both need the same rank >= 3 and element type");
  ActivationDims dims(input, adaptor.getLayout());
  int64_t groups = adaptor.getGroups();
  if (groups < 1 || dims.features != filter.getDimSize(1) * groups)
    return emitOptionalError(
        location, "has ", dims.features, " input features, ", groups,
        " groups and a filter for ", filter.getDimSize(1), " features each");
  if (filter.getDimSize(0) % groups)
    return emitOptionalError(location, "has ", filter.getDimSize(0),
                             " output features, not a multiple of its ", groups,
                             " groups");
  auto spatial = inferWindowedShape(
      location, dims.spatial,
      {filter.getShape().drop_front(2), adaptor.getStrides(), adaptor.getLow(),
       adaptor.getHigh(), adaptor.getDilations()});
  if (failed(spatial))
    return failure();
  types.push_back(input.clone(ActivationDims::shapeOf(
      adaptor.getLayout(), dims.batch, filter.getDimSize(0), *spatial)));
  return success();
}

double ConvOp::getFlops() {
  RankedTensorType filter = tensorOf(getFilter());
  double products =
      double(filter.getNumElements()) / double(filter.getDimSize(0));
  return 2 * products * elementsOf(getResult());
}

/// The result type of an op that slides a window over `input`.
template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> location,
                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  if (input.getRank() < 3)
    return emitOptionalError(location, "slides a window over ", input,
                             "; it needs rank >= 3");
  ActivationDims dims(input, adaptor.getLayout());
  auto spatial = inferWindowedShape(location, dims.spatial,
                                    {adaptor.getWindow(), adaptor.getStrides(),
                                     adaptor.getLow(), adaptor.getHigh(),
                                     adaptor.getDilations()});
  if (failed(spatial))
    return failure();
  types.push_back(input.clone(ActivationDims::shapeOf(
      adaptor.getLayout(), dims.batch, dims.features, *spatial)));
  return success();
}

LogicalResult WindowReduceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  if (adaptor.getKind() == ReduceKind::SumSquares)
    return emitOptionalError(location,
                             "cannot slide kind sum_squares; square the input");
  return inferPool(location, adaptor, types);
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(location, adaptor, types);
}

double WindowReduceOp::getFlops() {
  double window = 1;
  for (int64_t size : getWindow())
    window *= double(size);
  return window * elementsOf(getResult());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  llvm::SmallDenseSet<int64_t> reduced;
  if (!areDims(adaptor.getDimensions(), input.getRank(), reduced))
    return emitOptionalError(location, "dimensions [", adaptor.getDimensions(),
                             "] must be distinct dimensions of ", input);
  if (input.getElementType().isInteger(1) &&
      (adaptor.getKind() == ReduceKind::Sum ||
       adaptor.getKind() == ReduceKind::Prod))
    return emitOptionalError(location, "cannot combine i1 by ",
                             stringifyReduceKind(adaptor.getKind()),
                             "; use max (or) or min (and)");
  if (adaptor.getKind() == ReduceKind::SumSquares &&
      !isa<FloatType>(input.getElementType()))
    return emitOptionalError(location, "sums squares of ", input,
                             "; only of floats");
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!reduced.contains(dim))
      shape.push_back(input.getDimSize(dim));
  types.push_back(input.clone(shape));
  return success();
}

double ReduceOp::getFlops() { return elementsOf(getInput()); }

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  bool isInput = getDimensions().empty() && getKind() != ReduceKind::SumSquares;
  return isInput ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= input.getRank() || input.getDimSize(axis) == 0)
    return emitOptionalError(location, "axis ", axis,
                             " must be a non-empty dimension of ", input);
  if (adaptor.getKind() != ReduceKind::Max &&
      adaptor.getKind() != ReduceKind::Min)
    return emitOptionalError(location, "kind ",
                             stringifyReduceKind(adaptor.getKind()),
                             " has no position; use max or min");
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + axis);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ScanOp::verify() {
  int64_t rank = tensorOf(getInput()).getRank();
  if (getAxis() >= static_cast<uint64_t>(rank))
    return emitOpError() << "runs along axis " << int64_t(getAxis())
                         << " of a tensor of rank " << rank;
  if (getKind() == ReduceKind::SumSquares)
    return emitOpError()
           << "cannot run with kind sum_squares; square the input";
  return success();
}
