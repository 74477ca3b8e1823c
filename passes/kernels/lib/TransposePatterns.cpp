// SPDX-License-Identifier: Apache-2.0
#include "TransposePatterns.h"
#include "ReshapeRuns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::passes {

using ir::tensorOf;

namespace {

SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) {
  return invertPermutationVector(permutation);
}

Value transpose(PatternRewriter &rewriter, Operation *origin, Value value,
                ArrayRef<int64_t> permutation) {
  auto op =
      ir::TransposeOp::create(rewriter, origin->getLoc(), value, permutation);
  ir::inherit(origin, op);
  return op;
}

/// The order in which a broadcast's input dimensions appear once the transpose
/// by `permutation` is taken off its result; and where they go.
std::pair<SmallVector<int64_t>, SmallVector<int64_t>>
untransposedDims(ir::BroadcastOp op, ArrayRef<int64_t> permutation) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [i, dim] : llvm::enumerate(op.getDimensions()))
    dims.push_back({permutation[dim], int64_t(i)});
  llvm::sort(dims);
  SmallVector<int64_t> order, dimensions;
  for (auto [dim, from] : dims) {
    order.push_back(from);
    dimensions.push_back(dim);
  }
  return {order, dimensions};
}

/// Whether taking the transpose by `permutation` off `value` costs nothing.
bool isFreeToUntranspose(Value value, ArrayRef<int64_t> permutation,
                         DerivedValues &derived) {
  if (auto op = value.getDefiningOp<ir::TransposeOp>())
    if (op.getPermutation() == permutation)
      return true;
  if (derived.contains(value))
    return true;
  auto op = value.getDefiningOp<ir::BroadcastOp>();
  return op && llvm::is_sorted(untransposedDims(op, permutation).first);
}

/// What `value`, free to untranspose, is the transpose of. Emits before `user`.
Value untransposed(PatternRewriter &rewriter, Operation *user, Value value,
                   ArrayRef<int64_t> permutation) {
  if (auto op = value.getDefiningOp<ir::TransposeOp>())
    if (op.getPermutation() == permutation)
      return op.getInput();
  auto op = value.getDefiningOp<ir::BroadcastOp>();
  if (!op)
    return transpose(rewriter, user, value, inverse(permutation));
  auto [order, dimensions] = untransposedDims(op, permutation);
  Value input = llvm::is_sorted(order)
                    ? op.getInput()
                    : transpose(rewriter, user, op.getInput(), order);
  auto shape =
      applyPermutation(tensorOf(value).getShape(), inverse(permutation));
  auto made = ir::BroadcastOp::create(
      rewriter, op.getLoc(), tensorOf(value).clone(shape), input, dimensions);
  ir::inherit(user, made);
  return made;
}

/// Base of patterns that take a transpose from an op's operands to its result.
template <typename Op>
struct SinkPattern : OpRewritePattern<Op> {
  SinkPattern(MLIRContext *context, DerivedValues &derived)
      : OpRewritePattern<Op>(context), derived(derived) {}

  /// The transpose that makes the op's first operand.
  static ir::TransposeOp transposeOf(Op op) {
    return op->getOperand(0).template getDefiningOp<ir::TransposeOp>();
  }
  DerivedValues &derived;
};

/// Replaces `op` by a copy with other operands and result type, transposed.
void replaceTransposed(
    PatternRewriter &rewriter, Operation *op, ValueRange operands,
    RankedTensorType type, ArrayRef<int64_t> permutation,
    function_ref<void(Operation *)> adjust = [](Operation *) {}) {
  Operation *copy = rewriter.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  adjust(copy);
  rewriter.replaceOp(op,
                     transpose(rewriter, op, copy->getResult(0), permutation));
}

/// All operands of `op`, untransposed; nothing if that costs something.
std::optional<SmallVector<Value>>
untransposedOperands(PatternRewriter &rewriter, Operation *op,
                     ArrayRef<int64_t> permutation, DerivedValues &derived) {
  for (Value operand : op->getOperands())
    if (!isFreeToUntranspose(operand, permutation, derived))
      return std::nullopt;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(untransposed(rewriter, op, operand, permutation));
  return operands;
}

/// Any elementwise op.
struct SinkElementwise : RewritePattern {
  SinkElementwise(MLIRContext *context, DerivedValues &derived)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        derived(derived) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasTrait<ir::trait::Elementwise>() ||
        derived.contains(op->getResult(0)))
      return failure();
    ir::TransposeOp first;
    for (Value operand : op->getOperands())
      if (auto found = operand.getDefiningOp<ir::TransposeOp>())
        if (!first && !derived.contains(found.getInput()))
          first = found;
    if (!first)
      return failure();
    auto operands =
        untransposedOperands(rewriter, op, first.getPermutation(), derived);
    if (!operands)
      return failure();
    auto type =
        tensorOf(op->getResult(0)).clone(tensorOf(first.getInput()).getShape());
    replaceTransposed(rewriter, op, *operands, type, first.getPermutation());
    return success();
  }
  DerivedValues &derived;
};

struct MergeTransposes : OpRewritePattern<ir::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ir::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ir::TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation =
        applyPermutation(inner.getPermutation(), op.getPermutation());
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};

struct SinkReduce : SinkPattern<ir::ReduceOp> {
  using SinkPattern::SinkPattern;
  LogicalResult matchAndRewrite(ir::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    ir::TransposeOp from = transposeOf(op);
    if (!from || derived.contains(from))
      return failure();
    SmallVector<int64_t> reduced;
    for (int64_t dim : op.getDimensions())
      reduced.push_back(from.getPermutation()[dim]);
    // Where each dimension that stays goes in the result, and back.
    SmallVector<int64_t> staysHere, staysThere;
    for (int64_t dim = 0; dim < tensorOf(op.getInput()).getRank(); ++dim) {
      if (!llvm::is_contained(op.getDimensions(), dim))
        staysHere.push_back(from.getPermutation()[dim]);
      if (!llvm::is_contained(reduced, dim))
        staysThere.push_back(dim);
    }
    SmallVector<int64_t> permutation, shape;
    for (int64_t dim : staysHere)
      permutation.push_back(llvm::find(staysThere, dim) - staysThere.begin());
    for (int64_t dim : staysThere)
      shape.push_back(tensorOf(from.getInput()).getDimSize(dim));
    llvm::sort(reduced);
    replaceTransposed(rewriter, op, from.getInput(),
                      tensorOf(op.getResult()).clone(shape), permutation,
                      [&](Operation *copy) {
                        cast<ir::ReduceOp>(copy).setDimensions(reduced);
                      });
    return success();
  }
};

struct SinkConcat : SinkPattern<ir::ConcatOp> {
  using SinkPattern::SinkPattern;
  LogicalResult matchAndRewrite(ir::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    ir::TransposeOp first = transposeOf(op);
    if (!first || derived.contains(op))
      return failure();
    ArrayRef<int64_t> permutation = first.getPermutation();
    auto operands = untransposedOperands(rewriter, op, permutation, derived);
    if (!operands)
      return failure();
    auto type = tensorOf(op.getResult());
    replaceTransposed(
        rewriter, op, *operands,
        type.clone(applyPermutation(type.getShape(), inverse(permutation))),
        permutation, [&](Operation *copy) {
          cast<ir::ConcatOp>(copy).setAxis(permutation[op.getAxis()]);
        });
    return success();
  }
};

/// `list`, one item per dimension after a transpose, in the order before it.
SmallVector<int64_t> before(ArrayRef<int64_t> list,
                            ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(list.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[dim] = list[i];
  return result;
}

/// What the op says of each dimension, in the order before a transpose.
void reorder(ir::SliceOp op, ArrayRef<int64_t> permutation) {
  op.setStarts(before(op.getStarts(), permutation));
  op.setLimits(before(op.getLimits(), permutation));
  op.setStrides(before(op.getStrides(), permutation));
}
void reorder(ir::PadOp op, ArrayRef<int64_t> permutation) {
  op.setLow(before(op.getLow(), permutation));
  op.setHigh(before(op.getHigh(), permutation));
  op.setInterior(before(op.getInterior(), permutation));
}
void reorder(ir::BroadcastOp, ArrayRef<int64_t>) {}

/// An op whose result has the dimensions of its first operand, changed in size
/// at most. Other operands have none.
template <typename Op>
struct SinkSameDims : SinkPattern<Op> {
  using SinkPattern<Op>::SinkPattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ir::TransposeOp from = this->transposeOf(op);
    auto type = tensorOf(op.getResult());
    if (!from || tensorOf(from).getRank() != type.getRank())
      return failure();
    ArrayRef<int64_t> permutation = from.getPermutation();
    SmallVector<Value> operands(op->getOperands());
    operands[0] = from.getInput();
    replaceTransposed(
        rewriter, op, operands,
        type.clone(before(type.getShape(), permutation)), permutation,
        [&](Operation *copy) { reorder(cast<Op>(copy), permutation); });
    return success();
  }
};

/// reshape(transpose(x)): moves whole runs behind the reshape; what must be
/// reordered inside a run stays before it.
struct SinkReshape : SinkPattern<ir::ReshapeOp> {
  using SinkPattern::SinkPattern;
  LogicalResult matchAndRewrite(ir::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ir::TransposeOp from = transposeOf(op);
    if (!from)
      return failure();
    ArrayRef<int64_t> permutation = from.getPermutation();
    auto out = tensorOf(op.getResult());
    auto runs = reshapeRuns(tensorOf(op.getInput()).getShape(), out.getShape());
    if (!runs)
      return failure();
    // Runs in the order of their first dimension in x; a run without input
    // dimensions (new unit dimensions at the end) comes last.
    SmallVector<size_t> order(
        llvm::to_vector(llvm::seq<size_t>(0, runs->size())));
    auto key = [&](size_t r) {
      const ReshapeRun &run = (*runs)[r];
      int64_t least = permutation.size();
      for (int64_t i = run.inBegin; i < run.inEnd; ++i)
        least = std::min(least, permutation[i]);
      return least;
    };
    llvm::stable_sort(order,
                      [&](size_t a, size_t b) { return key(a) < key(b); });
    SmallVector<int64_t> inner, shape, position(out.getRank());
    for (size_t r : order) {
      const ReshapeRun &run = (*runs)[r];
      for (int64_t i = run.inBegin; i < run.inEnd; ++i)
        inner.push_back(permutation[i]);
      for (int64_t o = run.outBegin; o < run.outEnd; ++o) {
        position[o] = shape.size();
        shape.push_back(out.getDimSize(o));
      }
    }
    // Nothing gained when the runs keep their order.
    if (llvm::is_sorted(position))
      return failure();
    Value input = from.getInput();
    if (!llvm::is_sorted(inner))
      input = transpose(rewriter, op, input, inner);
    replaceTransposed(rewriter, op, input, out.clone(shape), position);
    return success();
  }
};

/// reshape(transpose(x)) where the transpose moves unit dimensions only.
struct DropUnitTranspose : OpRewritePattern<ir::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ir::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = op.getInput().getDefiningOp<ir::TransposeOp>();
    if (!from)
      return failure();
    int64_t last = -1;
    for (int64_t dim : from.getPermutation()) {
      if (tensorOf(from.getInput()).getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return failure();
      last = dim;
    }
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(from.getInput()); });
    return success();
  }
};

} // namespace

void populateSinkTransposePatterns(RewritePatternSet &patterns,
                                   DerivedValues &derived) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MergeTransposes>(context);
  patterns.add<DropUnitTranspose>(context, /*benefit=*/2);
  patterns
      .add<SinkElementwise, SinkReduce, SinkConcat, SinkSameDims<ir::SliceOp>,
           SinkSameDims<ir::PadOp>, SinkSameDims<ir::BroadcastOp>, SinkReshape>(
          context, derived);
}

} // namespace smp::passes
