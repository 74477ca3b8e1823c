// SPDX-License-Identifier: Apache-2.0
// Types and costs of products with packed operands.

#include "smp/ir/Packing.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace smp::ir;

Type smp::ir::accumulatorType(Type element) {
  return isa<BFloat16Type, Float16Type>(element)
             ? Float32Type::get(element.getContext())
             : element;
}

RankedTensorType smp::ir::packedType(Type element, int64_t products,
                                     int64_t depth, int64_t columns,
                                     int64_t packedBytes) {
  Type type = accumulatorType(element);
  const int64_t unit = packedBytes * 8 / type.getIntOrFloatBitWidth();
  int64_t padded, rows, elements;
  if (llvm::AddOverflow(columns, unit - 1, padded) ||
      llvm::MulOverflow(products, depth, rows) ||
      llvm::MulOverflow(rows, padded / unit * unit, elements))
    return {};
  return RankedTensorType::get({elements}, type);
}

bool smp::ir::holdsPacked(RankedTensorType packed, int64_t products,
                          int64_t depth, int64_t columns) {
  int64_t rows;
  if (packed.getRank() != 1 || llvm::MulOverflow(products, depth, rows))
    return false;
  const int64_t elements = packed.getDimSize(0);
  return rows == 0 ? elements == 0
                   : elements % rows == 0 && elements / rows >= columns;
}

/// Checks that `packed` holds products of `element`.
static LogicalResult verifyPacked(std::optional<Location> location,
                                  Value packed, Type element, int64_t products,
                                  int64_t depth, int64_t columns) {
  auto type = tensorOf(packed);
  if (type.getElementType() == accumulatorType(element) &&
      holdsPacked(type, products, depth, columns))
    return success();
  return emitOptionalError(location, "has a packed operand ", type,
                           ", which does not hold ", products, " products of ",
                           depth, " rows and ", columns, " columns in ",
                           accumulatorType(element));
}

LogicalResult PackOp::verify() {
  auto input = tensorOf(getInput());
  if (input.getRank() != 3)
    return emitOpError() << "packs " << input
                         << "; it must be [products, depth, columns]";
  return verifyPacked(getLoc(), getResult(), input.getElementType(),
                      input.getDimSize(0), input.getDimSize(1),
                      input.getDimSize(2));
}

LogicalResult PackedMatmulOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto lhs = tensorOf(adaptor.getLhs());
  if (lhs.getRank() < 2)
    return emitOptionalError(location, "multiplies ", lhs,
                             "; it must have rank >= 2");
  int64_t products = 1;
  if (!adaptor.getShared())
    for (int64_t size : lhs.getShape().drop_back(2))
      products *= size;
  if (failed(verifyPacked(location, adaptor.getPacked(), lhs.getElementType(),
                          products, lhs.getShape().back(),
                          adaptor.getColumns())))
    return failure();
  SmallVector<int64_t> shape(lhs.getShape());
  shape.back() = adaptor.getColumns();
  types.push_back(lhs.clone(shape));
  return success();
}

double PackedMatmulOp::getFlops() {
  return 2.0 * double(tensorOf(getLhs()).getShape().back()) *
         double(tensorOf(getResult()).getNumElements());
}

LogicalResult PackedConvOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  if (input.getRank() < 3)
    return emitOptionalError(location, "convolves ", input,
                             "; it needs rank >= 3");
  ActivationDims dims(input, Layout::ChannelsLast);
  int64_t count = adaptor.getGroups(), features = adaptor.getFeatures();
  if (count < 1 || features < 0 || features % count || dims.features % count)
    return emitOptionalError(location, "turns ", dims.features,
                             " features into ", features, " in ", count,
                             " groups; the groups must divide both");
  auto spatial = inferWindowedShape(location, dims.spatial,
                                    {adaptor.getWindow(), adaptor.getStrides(),
                                     adaptor.getLow(), adaptor.getHigh(),
                                     adaptor.getDilations()});
  if (failed(spatial))
    return failure();
  int64_t depth = dims.features / count;
  for (int64_t size : adaptor.getWindow())
    depth *= size;
  if (failed(verifyPacked(location, adaptor.getPacked(), input.getElementType(),
                          count, depth, features / count)))
    return failure();
  types.push_back(input.clone(ActivationDims::shapeOf(
      Layout::ChannelsLast, dims.batch, features, *spatial)));
  return success();
}

double PackedConvOp::getFlops() {
  double products =
      double(tensorOf(getInput()).getShape().back()) / double(getGroups());
  for (int64_t size : getWindow())
    products *= double(size);
  return 2 * products * double(tensorOf(getResult()).getNumElements());
}

LogicalResult DepthwiseConvOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput()),
       filter = tensorOf(adaptor.getFilter());
  if (input.getRank() < 3 || filter.getRank() != input.getRank() - 1 ||
      filter.getShape().back() != input.getShape().back())
    return emitOptionalError(location, "convolves ", input, " depthwise with ",
                             filter,
                             "; the filter must be [window..., features]");
  ActivationDims dims(input, Layout::ChannelsLast);
  auto spatial = inferWindowedShape(
      location, dims.spatial,
      {filter.getShape().drop_back(), adaptor.getStrides(), adaptor.getLow(),
       adaptor.getHigh(), adaptor.getDilations()});
  if (failed(spatial))
    return failure();
  types.push_back(input.clone(ActivationDims::shapeOf(
      Layout::ChannelsLast, dims.batch, dims.features, *spatial)));
  return success();
}

double DepthwiseConvOp::getFlops() {
  double taps = double(tensorOf(getFilter()).getNumElements()) /
                double(tensorOf(getFilter()).getShape().back());
  return 2 * taps * double(tensorOf(getResult()).getNumElements());
}
