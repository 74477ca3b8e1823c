// SPDX-License-Identifier: Apache-2.0
#include "TransposePatterns.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"
#include "smp/passes/Rewriting.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_CHOOSELAYOUTPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {
/// [0, 2, ..., rank - 1, 1]: features last.
SmallVector<int64_t> toLast(int64_t rank) {
  SmallVector<int64_t> permutation{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    permutation.push_back(dim);
  permutation.push_back(1);
  return permutation;
}

/// [0, rank - 1, 1, ..., rank - 2]: features first.
SmallVector<int64_t> toFirst(int64_t rank) {
  SmallVector<int64_t> permutation{0, rank - 1};
  for (int64_t dim = 1; dim + 1 < rank; ++dim)
    permutation.push_back(dim);
  return permutation;
}

Value transpose(OpBuilder &b, Operation *origin, Value value,
                ArrayRef<int64_t> permutation) {
  auto op = ir::TransposeOp::create(b, origin->getLoc(), value, permutation);
  ir::inherit(origin, op);
  return op;
}

/// Makes a channels_first op channels_last between two transposes.
template <typename Op>
void makeChannelsLast(Op op) {
  if (op.getLayout() == ir::Layout::ChannelsLast)
    return;
  OpBuilder b(op);
  auto result = ir::tensorOf(op);
  op.getInputMutable().assign(
      transpose(b, op, op.getInput(), toLast(result.getRank())));
  op.setLayout(ir::Layout::ChannelsLast);
  ir::ActivationDims dims(result, ir::Layout::ChannelsFirst);
  op.getResult().setType(result.clone(ir::ActivationDims::shapeOf(
      ir::Layout::ChannelsLast, dims.batch, dims.features, dims.spatial)));
  b.setInsertionPointAfter(op);
  Value back = transpose(b, op, op.getResult(), toFirst(result.getRank()));
  op.getResult().replaceAllUsesExcept(back, back.getDefiningOp());
}

struct ChooseLayout : impl::ChooseLayoutPassBase<ChooseLayout> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto conv = dyn_cast<ir::ConvOp>(op))
        makeChannelsLast(conv);
      else if (auto window = dyn_cast<ir::WindowReduceOp>(op))
        makeChannelsLast(window);
    });
    DerivedValues derived(getOperation());
    RewritePatternSet patterns(&getContext());
    populateSinkTransposePatterns(patterns, derived);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns), &derived)))
      return signalPassFailure();
  }
};
} // namespace
} // namespace smp::passes
