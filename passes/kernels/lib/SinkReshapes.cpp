// SPDX-License-Identifier: Apache-2.0
#include "ReshapeRuns.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/Derived.h"
#include "smp/passes/Rewriting.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {

using ir::tensorOf;
#define GEN_PASS_DEF_SINKRESHAPESPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

Value reshape(PatternRewriter &rewriter, Operation *origin, Value value,
              ArrayRef<int64_t> shape) {
  if (tensorOf(value).getShape() == shape)
    return value;
  auto op = ir::ReshapeOp::create(rewriter, origin->getLoc(),
                                  tensorOf(value).clone(shape), value);
  ir::inherit(origin, op);
  return op;
}

bool isElementwise(Operation *op) {
  return op->hasTrait<ir::trait::Elementwise>();
}

/// What a broadcast becomes under another shape: its input without the unit
/// dimensions that vanish, and where the others go.
struct Rebroadcast {
  SmallVector<int64_t> inputShape, dimensions;
};

/// The broadcast's form with a result of `shape`, when there is one.
std::optional<Rebroadcast> rebroadcast(ir::BroadcastOp op,
                                       ArrayRef<int64_t> shape) {
  auto runs = reshapeRuns(shape, tensorOf(op.getResult()).getShape());
  if (!runs)
    return std::nullopt;
  Rebroadcast result;
  for (auto [i, dim] : llvm::enumerate(op.getDimensions())) {
    int64_t size = tensorOf(op.getInput()).getDimSize(i);
    const ReshapeRun *run = llvm::find_if(*runs, [&](const ReshapeRun &r) {
      return dim >= r.outBegin && dim < r.outEnd;
    });
    if (run->isOneToOne()) {
      result.inputShape.push_back(size);
      result.dimensions.push_back(run->inBegin);
    } else if (size != 1) {
      return std::nullopt;
    }
  }
  return result;
}

/// Whether a kernel with room for more makes it: what follows may join it.
bool hasRoom(Operation *op) {
  return isElementwise(op) || isa<ir::PackedMatmulOp, ir::PackedConvOp,
                                  ir::DepthwiseConvOp, ir::ReduceOp>(op);
}

/// Whether `value` can be had in `shape` without breaking up what is computed
/// together with it. Nothing that has room gets a reshape behind it, so that
/// sinking one away from there comes to an end.
bool isFreeToReshape(Value value, ArrayRef<int64_t> shape,
                     DerivedValues &derived) {
  Operation *op = value.getDefiningOp();
  if (!op || derived.contains(value))
    return true;
  if (auto from = dyn_cast<ir::ReshapeOp>(op))
    return true;
  if (auto broadcast = dyn_cast<ir::BroadcastOp>(op))
    return rebroadcast(broadcast, shape).has_value();
  return !hasRoom(op);
}

Value reshaped(PatternRewriter &rewriter, Operation *user, Value value,
               ArrayRef<int64_t> shape) {
  if (auto from = value.getDefiningOp<ir::ReshapeOp>())
    return reshape(rewriter, user, from.getInput(), shape);
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  std::optional<Rebroadcast> form;
  if (broadcast)
    form = rebroadcast(broadcast, shape);
  if (!form)
    return reshape(rewriter, user, value, shape);
  Value input = reshape(rewriter, user, broadcast.getInput(), form->inputShape);
  auto made = ir::BroadcastOp::create(rewriter, broadcast.getLoc(),
                                      tensorOf(value).clone(shape), input,
                                      form->dimensions);
  ir::inherit(user, made);
  return made;
}

/// elementwise(reshape(x), y) = reshape(elementwise(x, y in x's shape)).
struct SinkBehindElementwise : RewritePattern {
  SinkBehindElementwise(MLIRContext *context, DerivedValues &derived)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        derived(derived) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || derived.contains(op->getResult(0)))
      return failure();
    ir::ReshapeOp first;
    for (Value operand : op->getOperands())
      if (auto from = operand.getDefiningOp<ir::ReshapeOp>(); from && !first)
        if (isWorthIt(from))
          first = from;
    if (!first)
      return failure();
    SmallVector<int64_t> shape(tensorOf(first.getInput()).getShape());
    for (Value operand : op->getOperands())
      if (!isFreeToReshape(operand, shape, derived))
        return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(reshaped(rewriter, op, operand, shape));
    auto type = tensorOf(op->getResult(0));
    Operation *copy = rewriter.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(type.clone(shape));
    rewriter.replaceOp(
        op, reshape(rewriter, op, copy->getResult(0), type.getShape()));
    return success();
  }

  /// Only what a kernel with room for more makes is worth following.
  bool isWorthIt(ir::ReshapeOp from) const {
    Operation *producer = from.getInput().getDefiningOp();
    return producer && !derived.contains(from.getInput()) && hasRoom(producer);
  }
  DerivedValues &derived;
};

/// broadcast(reshape(x)) where the reshape adds or drops unit dimensions only.
struct MergeIntoBroadcast : OpRewritePattern<ir::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ir::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto from = op.getInput().getDefiningOp<ir::ReshapeOp>();
    if (!from)
      return failure();
    auto runs = reshapeRuns(tensorOf(from.getInput()).getShape(),
                            tensorOf(from.getResult()).getShape());
    if (!runs)
      return failure();
    SmallVector<int64_t> dimensions(tensorOf(from.getInput()).getRank(), -1);
    for (const ReshapeRun &run : *runs) {
      if (run.isOneToOne())
        dimensions[run.inBegin] = op.getDimensions()[run.outBegin];
      else if (!mergeUnits(from, run, op.getDimensions(), dimensions))
        return failure();
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(from.getInput());
      op.setDimensions(dimensions);
    });
    return success();
  }

  /// A run with at most one dimension above 1 on each side, and as many of them
  /// on the input's side as there are dimensions.
  static bool mergeUnits(ir::ReshapeOp from, const ReshapeRun &run,
                         ArrayRef<int64_t> targets,
                         SmallVector<int64_t> &dimensions) {
    if (run.inEnd - run.inBegin != 1)
      return run.inEnd == run.inBegin;
    for (int64_t out = run.outBegin; out < run.outEnd; ++out)
      if (tensorOf(from.getResult()).getDimSize(out) ==
          tensorOf(from.getInput()).getDimSize(run.inBegin)) {
        dimensions[run.inBegin] = targets[out];
        return true;
      }
    return false;
  }
};

struct SinkReshapes : impl::SinkReshapesPassBase<SinkReshapes> {
  void runOnOperation() override {
    DerivedValues derived(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkBehindElementwise>(&getContext(), derived);
    patterns.add<MergeIntoBroadcast>(&getContext());
    ir::ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(rewriteGreedily(getOperation(), std::move(patterns), &derived)))
      signalPassFailure();
  }
};
} // namespace
} // namespace smp::passes
