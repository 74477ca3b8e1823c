// SPDX-License-Identifier: Apache-2.0
// Types and simplifications of elementwise ops.

#include "mlir/IR/Matchers.h"
#include "smp/ir/Smp.h"

using namespace mlir;
using namespace smp::ir;

/// `type`'s shape with element type i1.
static Type boolLike(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(IntegerType::get(type.getContext(), 1));
}

LogicalResult IsNanOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(boolLike(adaptor.getInput().getType()));
  return success();
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(boolLike(adaptor.getInput().getType()));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(boolLike(adaptor.getLhs().getType()));
  return success();
}

/// Whether `value` is a constant whose elements all satisfy one of the tests.
static bool isSplat(Attribute value, bool (*isFloat)(const APFloat &),
                    bool (*isInt)(const APInt &)) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!elements || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return isFloat(elements.getSplatValue<APFloat>());
  return isInt(elements.getSplatValue<APInt>());
}

static bool isOne(Attribute value) {
  return isSplat(
      value, [](const APFloat &f) { return f.isExactlyValue(1.0); },
      [](const APInt &i) { return i.isOne(); });
}

/// -0.0 or 0: what addition leaves every value unchanged with, zeros included.
static bool isAddNeutral(Attribute value) {
  return isSplat(
      value, [](const APFloat &f) { return f.isNegZero(); },
      [](const APInt &i) { return i.isZero(); });
}

/// +0.0 or 0: what subtraction leaves every value unchanged with.
static bool isSubNeutral(Attribute value) {
  return isSplat(
      value, [](const APFloat &f) { return f.isPosZero(); },
      [](const APInt &i) { return i.isZero(); });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isAddNeutral(adaptor.getRhs()))
    return getLhs();
  return isAddNeutral(adaptor.getLhs()) ? OpFoldResult(getRhs())
                                        : OpFoldResult();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSubNeutral(adaptor.getRhs()) ? OpFoldResult(getLhs())
                                        : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getRhs()))
    return getLhs();
  return isOne(adaptor.getLhs()) ? OpFoldResult(getRhs()) : OpFoldResult();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isOne(adaptor.getRhs()) ? OpFoldResult(getLhs()) : OpFoldResult();
}

/// op(op(x)): the inner op, when `value` is made by one.
template <typename OpTy>
static OpTy producer(Value value) {
  return value.getDefiningOp<OpTy>();
}

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = producer<NegOp>(getInput());
  return inner ? OpFoldResult(inner.getInput()) : OpFoldResult();
}

OpFoldResult NotOp::fold(FoldAdaptor) {
  auto inner = producer<NotOp>(getInput());
  return inner ? OpFoldResult(inner.getInput()) : OpFoldResult();
}

OpFoldResult AbsOp::fold(FoldAdaptor) {
  return producer<AbsOp>(getInput()) ? OpFoldResult(getInput())
                                     : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  return producer<ReluOp>(getInput()) ? OpFoldResult(getInput())
                                      : OpFoldResult();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

LogicalResult BitCastOp::verify() {
  Type from = getElementTypeOrSelf(getInput()),
       to = getElementTypeOrSelf(*this);
  if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
    return success();
  return emitOpError() << "takes the bits of " << from << " as " << to
                       << "; both must be of one width";
}

/// The bits that a cast took are those that the next one takes.
OpFoldResult BitCastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = producer<BitCastOp>(getInput());
  return inner && inner.getInput().getType() == getType()
             ? OpFoldResult(inner.getInput())
             : OpFoldResult();
}

namespace {
/// pow(x, 2) is x * x, and pow(x, 1) is x.
struct SimplifyPow : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr exponent;
    if (!matchPattern(op.getRhs(), m_Constant(&exponent)))
      return failure();
    if (isOne(exponent)) {
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    bool isTwo = isSplat(
        exponent, [](const APFloat &f) { return f.isExactlyValue(2.0); },
        [](const APInt &i) { return i == 2; });
    if (!isTwo)
      return failure();
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
    return success();
  }
};
} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<SimplifyPow>(context);
}
