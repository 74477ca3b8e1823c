// SPDX-License-Identifier: Apache-2.0
// Checks of composites, and how each says itself in primitives.

#include "smp/ir/Constants.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace smp::ir;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

SmallVector<Value> ReluOp::decompose(OpBuilder &b) {
  Value zero = splat(b, getLoc(), getType(), 0);
  return {MaxOp::create(b, getLoc(), getInput(), zero)};
}

/// 1 / (1 + exp(-x)).
static Value sigmoid(OpBuilder &b, Location loc, Value x) {
  Value one = splat(b, loc, x.getType(), 1);
  Value e = ExpOp::create(b, loc, NegOp::create(b, loc, x));
  return DivOp::create(b, loc, one, AddOp::create(b, loc, one, e));
}

SmallVector<Value> SigmoidOp::decompose(OpBuilder &b) {
  return {sigmoid(b, getLoc(), getInput())};
}

SmallVector<Value> SiluOp::decompose(OpBuilder &b) {
  return {
      MulOp::create(b, getLoc(), getInput(), sigmoid(b, getLoc(), getInput()))};
}

/// max(x, 0) + log1p(exp(-|x|)).
SmallVector<Value> SoftplusOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value positive =
      MaxOp::create(b, loc, getInput(), splat(b, loc, getType(), 0));
  Value e = ExpOp::create(
      b, loc, NegOp::create(b, loc, AbsOp::create(b, loc, getInput())));
  return {AddOp::create(b, loc, positive, Log1pOp::create(b, loc, e))};
}

SmallVector<Value> StopGradientOp::decompose(OpBuilder &) {
  return {getInput()};
}

SmallVector<Value> GeluOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value x = getInput();
  auto constant = [&](double value) { return splat(b, loc, getType(), value); };
  auto mul = [&](Value l, Value r) -> Value {
    return MulOp::create(b, loc, l, r);
  };
  auto add = [&](Value l, Value r) -> Value {
    return AddOp::create(b, loc, l, r);
  };
  Value half = mul(x, constant(0.5));
  if (getApproximate()) {
    // sqrt(2/pi) (x + 0.044715 x^3)
    Value inner = add(x, mul(mul(mul(x, x), x), constant(0.044715)));
    Value t = TanhOp::create(b, loc, mul(inner, constant(0.7978845608028654)));
    return {mul(half, add(constant(1), t))};
  }
  Value e = ErfOp::create(b, loc, mul(x, constant(0.7071067811865476)));
  return {mul(half, add(constant(1), e))};
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// What was reduced over `dims`, stretched to the shape of `type` again.
static Value stretch(OpBuilder &b, Location loc, Value reduced, Type type,
                     ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(type).getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  return BroadcastOp::create(b, loc, type, reduced, kept);
}

/// `input` reduced over `dims`, and stretched to its shape again.
static Value reduceKeeping(OpBuilder &b, Location loc, ReduceKind kind,
                           Value input, ArrayRef<int64_t> dims) {
  return stretch(b, loc, ReduceOp::create(b, loc, kind, input, dims),
                 input.getType(), dims);
}

template <typename Op>
static LogicalResult verifyAxis(Op op) {
  int64_t rank = tensorOf(op.getInput()).getRank();
  if (op.getAxis() >= static_cast<uint64_t>(rank))
    return op.emitOpError() << "axis is " << int64_t(op.getAxis())
                            << " for a tensor of rank " << rank;
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyAxis(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyAxis(*this); }

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  int64_t axis = getAxis();
  Value max = reduceKeeping(b, loc, ReduceKind::Max, getInput(), axis);
  Value e = ExpOp::create(b, loc, SubOp::create(b, loc, getInput(), max));
  Value sum = ReduceOp::create(b, loc, ReduceKind::Sum, e, axis);
  // One division per row, one multiplication per element.
  Value inverse = DivOp::create(b, loc, splat(b, loc, sum.getType(), 1), sum);
  Value scale = stretch(b, loc, inverse, e.getType(), axis);
  return {MulOp::create(b, loc, e, scale)};
}

SmallVector<Value> LogSoftmaxOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  int64_t axis = getAxis();
  Value max = reduceKeeping(b, loc, ReduceKind::Max, getInput(), axis);
  Value centred = SubOp::create(b, loc, getInput(), max);
  Value sum = ReduceOp::create(b, loc, ReduceKind::Sum,
                               ExpOp::create(b, loc, centred), axis);
  // One logarithm per row.
  Value log = LogOp::create(b, loc, sum);
  return {SubOp::create(b, loc, centred,
                        stretch(b, loc, log, centred.getType(), axis))};
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// Checks that a vector of a norm has the shape of the normalised dimensions.
template <typename Op>
static LogicalResult verifyNormVector(Op op, StringRef name, Value vector) {
  ArrayRef<int64_t> normalised =
      tensorOf(op.getInput()).getShape().drop_front(op.getAxis());
  if (tensorOf(vector).getShape() == normalised &&
      tensorOf(vector).getElementType() ==
          tensorOf(op.getInput()).getElementType())
    return success();
  return op.emitOpError()
         << name << " is " << vector.getType() << "; it must have the shape ["
         << normalised << "] of the normalised dimensions and the input's type";
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyAxis(*this)) ||
      failed(verifyNormVector(*this, "scale", getScale())))
    return failure();
  return verifyNormVector(*this, "bias", getBias());
}

LogicalResult RmsNormOp::verify() {
  return failure(failed(verifyAxis(*this)) ||
                 failed(verifyNormVector(*this, "scale", getScale())));
}

/// axis, axis + 1, ... rank - 1.
static SmallVector<int64_t> dimsFrom(int64_t axis, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, rank));
}

/// The sum (of squares) of `input` over the dimensions from `axis` on, divided
/// by their size.
static Value meanFrom(OpBuilder &b, Location loc, ReduceKind kind, Value input,
                      int64_t axis) {
  auto type = tensorOf(input);
  Value sum =
      ReduceOp::create(b, loc, kind, input, dimsFrom(axis, type.getRank()));
  int64_t count = 1;
  for (int64_t size : type.getShape().drop_front(axis))
    count *= size;
  Value scale = splat(b, loc, sum.getType(), 1.0 / double(count));
  return MulOp::create(b, loc, sum, scale);
}

/// Stretches `vector` along the first `axis` dimensions of `like`.
static Value leading(OpBuilder &b, Location loc, Value vector, Value like,
                     int64_t axis) {
  return BroadcastOp::create(b, loc, like.getType(), vector,
                             llvm::to_vector(llvm::seq<int64_t>(0, axis)));
}

/// Stretches `vector` along the dimensions of `like` from `axis` on.
static Value trailing(OpBuilder &b, Location loc, Value vector, Value like,
                      int64_t axis) {
  return BroadcastOp::create(b, loc, like.getType(), vector,
                             dimsFrom(axis, tensorOf(like).getRank()));
}

/// 1 / sqrt(value + epsilon).
static Value inverseRoot(OpBuilder &b, Location loc, Value value,
                         double epsilon) {
  Value shifted =
      AddOp::create(b, loc, value, splat(b, loc, value.getType(), epsilon));
  return RsqrtOp::create(b, loc, shifted);
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  int64_t axis = getAxis();
  Value x = getInput();
  Value mean =
      leading(b, loc, meanFrom(b, loc, ReduceKind::Sum, x, axis), x, axis);
  Value centred = SubOp::create(b, loc, x, mean);
  Value variance = meanFrom(b, loc, ReduceKind::SumSquares, centred, axis);
  Value inverse = inverseRoot(b, loc, variance, getEpsilon().convertToDouble());
  Value normal =
      MulOp::create(b, loc, centred, leading(b, loc, inverse, x, axis));
  return {FmaOp::create(b, loc, normal, trailing(b, loc, getScale(), x, axis),
                        trailing(b, loc, getBias(), x, axis))};
}

SmallVector<Value> RmsNormOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  int64_t axis = getAxis();
  Value x = getInput();
  Value square = meanFrom(b, loc, ReduceKind::SumSquares, x, axis);
  Value inverse = inverseRoot(b, loc, square, getEpsilon().convertToDouble());
  Value normal = MulOp::create(b, loc, x, leading(b, loc, inverse, x, axis));
  return {MulOp::create(b, loc, normal, trailing(b, loc, getScale(), x, axis))};
}

LogicalResult BatchNormOp::verify() {
  if (failed(verifyAxis(*this)))
    return failure();
  auto input = tensorOf(getInput());
  auto expected = input.clone({input.getDimSize(getAxis())});
  for (auto [name, vector] : {std::pair<StringRef, Value>{"scale", getScale()},
                              {"bias", getBias()},
                              {"mean", getMean()},
                              {"variance", getVariance()}})
    if (vector.getType() != expected)
      return emitOpError() << name << " is " << vector.getType()
                           << "; it must be " << expected;
  return success();
}

/// x * s + (bias - mean * s) with s = scale / sqrt(variance + epsilon): one
/// multiplication and one addition per element.
SmallVector<Value> BatchNormOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value inverse =
      inverseRoot(b, loc, getVariance(), getEpsilon().convertToDouble());
  Value factor = MulOp::create(b, loc, getScale(), inverse);
  Value shift = SubOp::create(b, loc, getBias(),
                              MulOp::create(b, loc, getMean(), factor));
  int64_t axis = getAxis();
  auto along = [&](Value vector) -> Value {
    return BroadcastOp::create(b, loc, getType(), vector, ArrayRef(axis));
  };
  Value scaled = MulOp::create(b, loc, getInput(), along(factor));
  return {AddOp::create(b, loc, scaled, along(shift))};
}

//===----------------------------------------------------------------------===//
// avg_pool
//===----------------------------------------------------------------------===//

/// How many of a window's positions at `out` lie in [from, to).
static int64_t countInside(const WindowDims &dims, size_t dim, int64_t out,
                           int64_t from, int64_t to) {
  int64_t count = 0;
  for (int64_t k = 0; k < dims.window[dim]; ++k) {
    int64_t at =
        out * dims.strides[dim] + k * dims.dilations[dim] - dims.low[dim];
    count += at >= from && at < to;
  }
  return count;
}

SmallVector<Value> AvgPoolOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value sum = WindowReduceOp::create(b, loc, getInput(), ReduceKind::Sum,
                                     getWindow(), getStrides(), getLow(),
                                     getHigh(), getDilations(), getLayout());
  ActivationDims input(tensorOf(getInput()), getLayout());
  ActivationDims result(tensorOf(sum), getLayout());
  WindowDims dims{getWindow(), getStrides(), getLow(), getHigh(),
                  getDilations()};
  // One factor per spatial position; equal factors make a splat.
  SmallVector<int64_t> counts{1};
  for (size_t d = 0; d < result.spatial.size(); ++d) {
    int64_t from = getCountPadding() ? -dims.low[d] : 0;
    int64_t to = input.spatial[d] + (getCountPadding() ? dims.high[d] : 0);
    SmallVector<int64_t> next;
    for (int64_t count : counts)
      for (int64_t out = 0; out < result.spatial[d]; ++out)
        next.push_back(count * countInside(dims, d, out, from, to));
    counts = std::move(next);
  }
  SmallVector<double> factors;
  for (int64_t count : counts)
    factors.push_back(1.0 / double(std::max<int64_t>(count, 1)));
  auto spatial = tensorOf(sum).clone(result.spatial);
  Value factor = constantOf(b, loc, cast<RankedTensorType>(spatial), factors);
  SmallVector<int64_t> spatialDims;
  for (size_t d = 0; d < result.spatial.size(); ++d)
    spatialDims.push_back(result.firstSpatialDim + int64_t(d));
  Value stretched =
      BroadcastOp::create(b, loc, sum.getType(), factor, spatialDims);
  return {MulOp::create(b, loc, sum, stretched)};
}
