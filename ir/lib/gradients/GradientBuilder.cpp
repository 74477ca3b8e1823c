// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Constants.h"
#include "smp/ir/Gradient.h"
#include "smp/ir/Names.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::ir {

GradientBuilder::GradientBuilder(OpBuilder &builder, Operation *op,
                                 ArrayRef<Value> ofResults,
                                 const llvm::BitVector &wanted)
    : builder(builder), loc(partOf(op->getLoc())), ofResults(ofResults),
      wanted(wanted), gradients(op->getNumOperands()) {}

void GradientBuilder::give(unsigned operand, Value gradient) {
  assert(wants(operand) && !gradients[operand] && "given once, when wanted");
  gradients[operand] = gradient;
}

Value GradientBuilder::add(Value x, Value y) const { return make<AddOp>(x, y); }
Value GradientBuilder::sub(Value x, Value y) const { return make<SubOp>(x, y); }
Value GradientBuilder::mul(Value x, Value y) const { return make<MulOp>(x, y); }
Value GradientBuilder::div(Value x, Value y) const { return make<DivOp>(x, y); }
Value GradientBuilder::neg(Value x) const { return make<NegOp>(x); }

Value GradientBuilder::scale(Value x, double factor) const {
  return mul(x, splat(x.getType(), factor));
}

Value GradientBuilder::shift(Value x, double addend) const {
  return add(x, splat(x.getType(), addend));
}

Value GradientBuilder::compare(Direction direction, Value x, Value y) const {
  return make<CompareOp>(direction, x, y);
}

Value GradientBuilder::select(Value condition, Value x, Value y) const {
  return make<SelectOp>(condition, x, y);
}

Value GradientBuilder::splat(Type type, double value) const {
  return ir::splat(builder, loc, type, value);
}

Value GradientBuilder::maskedBy(Value condition, Value x) const {
  return select(condition, x, splat(x.getType(), 0));
}

Value GradientBuilder::reshape(Value x, ArrayRef<int64_t> shape) const {
  if (tensorOf(x).getShape() == shape)
    return x;
  return make<ReshapeOp>(tensorOf(x).clone(shape), x);
}

Value GradientBuilder::transpose(Value x, ArrayRef<int64_t> permutation) const {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  return make<TransposeOp>(x, permutation);
}

Value GradientBuilder::sum(Value x, ArrayRef<int64_t> dimensions) const {
  if (dimensions.empty())
    return x;
  return make<ReduceOp>(ReduceKind::Sum, x, dimensions);
}

Value GradientBuilder::spread(Value x, RankedTensorType type,
                              ArrayRef<int64_t> dimensions) const {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dimensions, dim))
      kept.push_back(dim);
  return make<BroadcastOp>(type, x, kept);
}

Value GradientBuilder::pad(Value x, ArrayRef<int64_t> low,
                           ArrayRef<int64_t> high,
                           ArrayRef<int64_t> interior) const {
  auto isZero = [](int64_t padding) { return padding == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) &&
      llvm::all_of(interior, isZero))
    return x;
  Value zero =
      splat(RankedTensorType::get({}, tensorOf(x).getElementType()), 0);
  return make<PadOp>(x, zero, low, high, interior);
}

} // namespace smp::ir
