// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/Derived.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_FOLDSCALESPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {
/// A product, the dimension of its result that counts output features, and the
/// dimension of its weights that does.
struct Weighted {
  Operation *op = nullptr;
  OpOperand *weights = nullptr;
  int64_t resultDim = 0, weightDim = 0;
};

/// The product that makes `value`, if its weights have one feature dimension.
Weighted weightedProduct(Value value) {
  if (auto conv = value.getDefiningOp<ir::ConvOp>()) {
    int64_t rank = ir::tensorOf(conv).getRank();
    bool first = conv.getLayout() == ir::Layout::ChannelsFirst;
    return {conv, &conv.getFilterMutable(), first ? 1 : rank - 1, 0};
  }
  auto dot = value.getDefiningOp<ir::DotGeneralOp>();
  if (!dot || !dot.getRhsBatch().empty() || dot.getRhsContract().size() != 1)
    return {};
  if (ir::tensorOf(dot.getRhs()).getRank() != 2)
    return {};
  return {dot, &dot.getRhsMutable(), ir::tensorOf(dot).getRank() - 1,
          1 - dot.getRhsContract()[0]};
}

/// The vector that `value` repeats along all dimensions of its shape but `dim`.
Value broadcastAlong(Value value, int64_t dim) {
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  if (!broadcast || broadcast.getDimensions() != ArrayRef(dim))
    return {};
  auto input = ir::tensorOf(broadcast.getInput());
  auto result = ir::tensorOf(broadcast);
  return input.getDimSize(0) == result.getDimSize(dim) ? broadcast.getInput()
                                                       : Value();
}

struct FoldScales : impl::FoldScalesPassBase<FoldScales> {
  void runOnOperation() override {
    DerivedValues derived(getOperation());
    SmallVector<ir::MulOp> products;
    getOperation().walk([&](ir::MulOp op) { products.push_back(op); });
    for (ir::MulOp op : products)
      for (auto [value, scale] : {std::pair(op.getLhs(), op.getRhs()),
                                  std::pair(op.getRhs(), op.getLhs())})
        if (fold(op, value, scale, derived))
          break;
  }

  /// Turns mul(product(x, w), scale) into product(x, w * scale).
  bool fold(ir::MulOp op, Value value, Value scale, DerivedValues &derived) {
    Weighted product = weightedProduct(value);
    if (!product.op || !ir::hasOneReader(value) ||
        !derived.contains(product.weights->get()))
      return false;
    Value vector = broadcastAlong(scale, product.resultDim);
    if (!vector || !derived.contains(vector))
      return false;
    ir::foldTaps(value);
    Value weights = product.weights->get();
    OpBuilder b(op);
    Location loc = weights.getLoc();
    Value stretched = ir::BroadcastOp::create(b, loc, weights.getType(), vector,
                                              ArrayRef(product.weightDim));
    Value scaled = ir::MulOp::create(b, loc, weights, stretched);
    for (Value made : {stretched, scaled})
      ir::inherit(product.op, made.getDefiningOp());
    // The scale may be computed after the product: move the product behind it.
    product.weights->set(scaled);
    product.op->moveAfter(scaled.getDefiningOp());
    op.getResult().replaceAllUsesWith(value);
    op.erase();
    return true;
  }
};
} // namespace
} // namespace smp::passes
