// SPDX-License-Identifier: Apache-2.0
// Types and checks of ops whose elements are chosen by data.

#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"

using namespace mlir;
using namespace smp::ir;

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  auto indices = tensorOf(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= input.getRank())
    return emitOptionalError(location, "gathers along axis ", axis, " of ",
                             input);
  SmallVector<int64_t> shape(input.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, input.getShape().drop_front(axis + 1));
  types.push_back(input.clone(shape));
  return success();
}

/// Whether `part` fits into `whole` in every dimension but `axis`.
static bool fitsBeside(RankedTensorType whole, RankedTensorType part,
                       int64_t axis) {
  if (whole.getRank() != part.getRank() || axis < 0 || axis >= whole.getRank())
    return false;
  for (int64_t i = 0; i < whole.getRank(); ++i)
    if (i != axis && part.getDimSize(i) > whole.getDimSize(i))
      return false;
  return true;
}

LogicalResult GatherElementsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  auto indices = tensorOf(adaptor.getIndices());
  if (!fitsBeside(input, indices, adaptor.getAxis()))
    return emitOptionalError(
        location, "gathers along axis ", adaptor.getAxis(), " of ", input,
        " with indices ", indices,
        "; ranks must agree and no other dimension be larger");
  types.push_back(input.clone(indices.getShape()));
  return success();
}

/// Checks indices of tuples into `input` after `batch` dimensions; gives the
/// result's shape, [indices but the last..., input beyond the tuple...].
static FailureOr<SmallVector<int64_t>>
tupleShape(std::optional<Location> location, RankedTensorType input,
           RankedTensorType indices, int64_t batch) {
  int64_t tuple = indices.getRank() ? indices.getShape().back() : -1;
  if (batch < 0 || batch >= indices.getRank() || tuple < 0 ||
      batch + tuple > input.getRank())
    return emitOptionalError(location, "has index tuples ", indices, " into ",
                             input, " with ", batch,
                             " batch dimensions; the tuple must "
                             "fit the input's dimensions");
  if (input.getShape().take_front(batch) !=
      indices.getShape().take_front(batch))
    return emitOptionalError(location,
                             "has batch dimensions that differ: ", input,
                             " and ", indices);
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, input.getShape().drop_front(batch + tuple));
  return shape;
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  auto shape = tupleShape(location, input, tensorOf(adaptor.getIndices()),
                          adaptor.getBatchDims());
  if (failed(shape))
    return failure();
  types.push_back(input.clone(*shape));
  return success();
}

LogicalResult ScatterElementsOp::verify() {
  auto input = tensorOf(getInput()), updates = tensorOf(getUpdates());
  if (!fitsBeside(input, updates, getAxis()))
    return emitOpError()
           << "scatters " << updates << " along axis " << getAxis() << " of "
           << input << "; ranks must agree and no other dimension be larger";
  return success();
}

LogicalResult ScatterNdOp::verify() {
  auto shape =
      tupleShape(getLoc(), tensorOf(getInput()), tensorOf(getIndices()),
                 /*batch=*/0);
  if (failed(shape))
    return failure();
  if (ArrayRef(*shape) != tensorOf(getUpdates()).getShape())
    return emitOpError() << "has updates " << getUpdates().getType()
                         << "; their shape must be [" << *shape << "]";
  return success();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto input = tensorOf(adaptor.getInput());
  int64_t axis = adaptor.getAxis(), k = adaptor.getK();
  if (axis < 0 || axis >= input.getRank() || k < 0 ||
      k > input.getDimSize(axis))
    return emitOptionalError(location, "takes ", k, " elements along axis ",
                             axis, " of ", input);
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = k;
  types.push_back(input.clone(shape));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}
