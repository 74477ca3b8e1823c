// SPDX-License-Identifier: Apache-2.0
#include "ReshapeRuns.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Packing.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/Derived.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {

using ir::tensorOf;
#define GEN_PASS_DEF_PACKPRODUCTSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

int64_t sizeOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= type.getDimSize(dim);
  return size;
}

/// Emits views with the location and the placement of the op they replace.
struct ViewBuilder {
  OpBuilder b;
  Operation *origin;

  explicit ViewBuilder(Operation *origin) : b(origin), origin(origin) {}

  template <typename Op, typename... Args>
  Op make(Args &&...args) {
    auto op = Op::create(b, origin->getLoc(), std::forward<Args>(args)...);
    ir::inherit(origin, op);
    return op;
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (tensorOf(value).getShape() == shape)
      return value;
    return make<ir::ReshapeOp>(tensorOf(value).clone(shape), value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    return llvm::is_sorted(permutation)
               ? value
               : make<ir::TransposeOp>(value, permutation);
  }
  /// The transpose, in the given shape. Dimensions that stay side by side and
  /// become one do so before the transpose, so that this is all there is.
  Value arrange(Value value, ArrayRef<int64_t> permutation,
                ArrayRef<int64_t> shape) {
    SmallVector<SmallVector<int64_t>> blocks; // Of the transpose's dimensions.
    SmallVector<int64_t> permuted;
    for (int64_t dim : permutation)
      permuted.push_back(tensorOf(value).getDimSize(dim));
    auto runs = reshapeRuns(permuted, shape);
    if (!runs)
      return reshape(transpose(value, permutation), shape);
    for (const ReshapeRun &run : *runs)
      for (int64_t i = run.inBegin; i < run.inEnd; ++i) {
        bool joins = i > run.inBegin && run.outEnd - run.outBegin == 1 &&
                     permutation[i] == permutation[i - 1] + 1;
        if (!joins)
          blocks.emplace_back();
        blocks.back().push_back(permutation[i]);
      }
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, blocks.size()));
    llvm::sort(order, [&](int64_t x, int64_t y) {
      return blocks[x].front() < blocks[y].front();
    });
    SmallVector<int64_t> merged, place(blocks.size());
    for (auto [position, block] : llvm::enumerate(order)) {
      merged.push_back(sizeOf(tensorOf(value), blocks[block]));
      place[block] = int64_t(position);
    }
    return reshape(transpose(reshape(value, merged), place), shape);
  }
  /// Of [products, depth, columns], as the target packs it; null when it does
  /// not fit a tensor.
  RankedTensorType packedType(Type element, int64_t products, int64_t depth,
                              int64_t columns) const {
    return ir::packedType(element, products, depth, columns,
                          ir::targetOf(origin).getPackedBytes());
  }
  /// Replaces the origin by `value` in its shape.
  void finish(Value value) {
    origin->getResult(0).replaceAllUsesWith(
        reshape(value, tensorOf(origin->getResult(0)).getShape()));
    origin->erase();
  }
};

/// The dimensions of rank `rank` that are neither batch nor contracted.
SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                              ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
      dims.push_back(dim);
  return dims;
}

/// Whether packing pays: the right operand is packed once, or read often
/// enough.
bool paysToPack(ir::DotGeneralOp op, int64_t rows, int64_t depth,
                int64_t columns, DerivedValues &derived) {
  constexpr int64_t kFewColumns = 4, kFewRows = 4;
  if (!isa<FloatType>(tensorOf(op.getResult()).getElementType()) ||
      depth == 0 || rows == 0 || columns < kFewColumns)
    return false;
  return rows >= kFewRows || derived.contains(op.getRhs());
}

void packDot(ir::DotGeneralOp op, DerivedValues &derived) {
  auto lhs = tensorOf(op.getLhs()), rhs = tensorOf(op.getRhs());
  auto lhsFree = freeDims(lhs.getRank(), op.getLhsBatch(), op.getLhsContract());
  auto rhsFree = freeDims(rhs.getRank(), op.getRhsBatch(), op.getRhsContract());
  int64_t rows = sizeOf(lhs, lhsFree), depth = sizeOf(lhs, op.getLhsContract()),
          columns = sizeOf(rhs, rhsFree),
          products = sizeOf(rhs, op.getRhsBatch());
  if (products == 0 || !paysToPack(op, rows, depth, columns, derived))
    return;
  ViewBuilder views(op);
  RankedTensorType type =
      views.packedType(rhs.getElementType(), products, depth, columns);
  if (!type)
    return;
  auto join = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                 ArrayRef<int64_t> c) {
    SmallVector<int64_t> all(a);
    llvm::append_range(all, b);
    llvm::append_range(all, c);
    return all;
  };
  // Without batch dimensions, the rows may stay in several dimensions: what
  // follows elementwise then has the product's shape.
  constexpr int64_t kManyRows = 16;
  bool shared = op.getLhsBatch().empty() && lhsFree.size() > 1 &&
                (lhs.getDimSize(lhsFree.back()) >= kManyRows ||
                 lhs.getDimSize(lhsFree.back()) == rows);
  SmallVector<int64_t> leftShape;
  for (int64_t dim : shared ? ArrayRef(lhsFree) : op.getLhsBatch())
    leftShape.push_back(lhs.getDimSize(dim));
  if (!shared)
    leftShape.push_back(rows);
  leftShape.push_back(depth);
  Value left = views.arrange(
      op.getLhs(), join(op.getLhsBatch(), lhsFree, op.getLhsContract()),
      leftShape);
  Value right = views.arrange(
      op.getRhs(), join(op.getRhsBatch(), op.getRhsContract(), rhsFree),
      {products, depth, columns});
  Value packed = views.make<ir::PackOp>(type, right);
  views.finish(views.make<ir::PackedMatmulOp>(left, packed, columns, shared));
}

void packDepthwise(ir::ConvOp op) {
  auto filter = tensorOf(op.getFilter());
  ViewBuilder views(op);
  // [features, 1, window...] to [window..., features].
  SmallVector<int64_t> permutation, shape;
  for (int64_t dim = 2; dim < filter.getRank(); ++dim) {
    permutation.push_back(dim);
    shape.push_back(filter.getDimSize(dim));
  }
  permutation.append({1, 0});
  shape.push_back(filter.getDimSize(0));
  Value taps =
      views.reshape(views.transpose(op.getFilter(), permutation), shape);
  views.finish(views.make<ir::DepthwiseConvOp>(
      op.getInput(), taps, op.getStrides(), op.getLow(), op.getHigh(),
      op.getDilations()));
}

void packConv(ir::ConvOp op) {
  auto filter = tensorOf(op.getFilter());
  int64_t groups = op.getGroups(), features = filter.getDimSize(0);
  if (!isa<FloatType>(filter.getElementType()) || filter.getNumElements() == 0)
    return;
  if (groups > 1 && groups == features && filter.getDimSize(1) == 1)
    return packDepthwise(op);
  ArrayRef<int64_t> window = filter.getShape().drop_front(2);
  const int64_t depth = filter.getNumElements() / features;
  ViewBuilder views(op);
  RankedTensorType type = views.packedType(filter.getElementType(), groups,
                                           depth, features / groups);
  if (!type)
    return;
  // [features, inputs, window...] to [group, window..., inputs, features].
  SmallVector<int64_t> split{groups, features / groups, filter.getDimSize(1)};
  llvm::append_range(split, window);
  SmallVector<int64_t> permutation{0};
  for (size_t i = 0; i < window.size(); ++i)
    permutation.push_back(3 + int64_t(i));
  permutation.append({2, 1});
  Value columns =
      views.transpose(views.reshape(op.getFilter(), split), permutation);
  columns = views.reshape(columns, {groups, depth, features / groups});
  Value packed = views.make<ir::PackOp>(type, columns);
  views.finish(views.make<ir::PackedConvOp>(
      op.getInput(), packed, features, llvm::to_vector(window), op.getStrides(),
      op.getLow(), op.getHigh(), op.getDilations(), groups));
}

struct PackProducts : impl::PackProductsPassBase<PackProducts> {
  void runOnOperation() override {
    DerivedValues derived(getOperation());
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<ir::DotGeneralOp, ir::ConvOp>(op) &&
          ir::targetOf(op).getPackedBytes() > 0)
        products.push_back(op);
    });
    for (Operation *op : products)
      if (auto conv = dyn_cast<ir::ConvOp>(op);
          conv && conv.getLayout() != ir::Layout::ChannelsLast) {
        op->emitOpError("has its channels first").attachNote()
            << "run --smp-choose-layout first";
        return signalPassFailure();
      }
    for (Operation *op : products) {
      if (auto dot = dyn_cast<ir::DotGeneralOp>(op))
        packDot(dot, derived);
      else
        packConv(cast<ir::ConvOp>(op));
    }
  }
};
} // namespace
} // namespace smp::passes
