// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Constants.h"

using namespace mlir;

namespace smp::ir {

Attribute scalarAttr(Type type, double value) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat rounded(value);
    bool lost;
    rounded.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
    return FloatAttr::get(floating, rounded);
  }
  auto integer = cast<IntegerType>(type);
  APInt bits(64, uint64_t(int64_t(value)));
  return IntegerAttr::get(integer, bits.trunc(integer.getWidth()));
}

Value splat(OpBuilder &builder, Location location, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  auto elements = DenseElementsAttr::get(
      tensor, scalarAttr(tensor.getElementType(), value));
  return ConstantOp::create(builder, location, tensor, elements);
}

Value constantOf(OpBuilder &builder, Location location, RankedTensorType type,
                 ArrayRef<double> values) {
  SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(scalarAttr(type.getElementType(), value));
  return ConstantOp::create(builder, location, type,
                            DenseElementsAttr::get(type, elements));
}

Value constantOf(OpBuilder &builder, Location location, RankedTensorType type,
                 ArrayRef<int64_t> values) {
  SmallVector<Attribute> elements;
  for (int64_t value : values) {
    if (auto integer = dyn_cast<IntegerType>(type.getElementType()))
      elements.push_back(IntegerAttr::get(
          integer, APInt(64, uint64_t(value)).trunc(integer.getWidth())));
    else
      elements.push_back(scalarAttr(type.getElementType(), double(value)));
  }
  return ConstantOp::create(builder, location, type,
                            DenseElementsAttr::get(type, elements));
}

} // namespace smp::ir
