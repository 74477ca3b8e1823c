// SPDX-License-Identifier: Apache-2.0
// Gradients of products and convolutions, as products and convolutions.

#include "Rules.h"
#include "smp/ir/Window.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace smp::ir;

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

namespace {
/// One operand of a product: which of its dimensions are what.
struct Side {
  Value value;
  ArrayRef<int64_t> batch, contract;
  SmallVector<int64_t> free;

  Side(Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract)
      : value(value), batch(batch), contract(contract) {
    for (int64_t dim = 0; dim < tensorOf(value).getRank(); ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
        free.push_back(dim);
  }
};
} // namespace

/// Where in a product of the gradient and `other` the dimensions of `side` are:
/// after the batch come side's free dimensions and other's contracting ones,
/// ascending; the latter first if `contractFirst`.
static SmallVector<int64_t> orderOf(const Side &side, const Side &other,
                                    bool contractFirst) {
  SmallVector<int64_t> contract(other.contract);
  llvm::sort(contract);
  int64_t batch = int64_t(side.batch.size());
  int64_t free = batch + (contractFirst ? int64_t(contract.size()) : 0);
  int64_t first = batch + (contractFirst ? 0 : int64_t(side.free.size()));
  SmallVector<int64_t> order(tensorOf(side.value).getRank());
  for (auto [i, dim] : llvm::enumerate(side.batch))
    order[dim] = int64_t(i);
  for (auto [i, dim] : llvm::enumerate(side.free))
    order[dim] = free + int64_t(i);
  for (auto [i, dim] : llvm::enumerate(side.contract))
    order[dim] =
        first + (llvm::find(contract, other.contract[i]) - contract.begin());
  return order;
}

/// The gradient of `side`: that of the result, whose dimensions of `other` from
/// `otherFree` on are summed with other's free ones.
static Value productGradient(GradientBuilder &g, const Side &side,
                             const Side &other, int64_t otherFree) {
  SmallVector<int64_t> batch = rangeOf(0, side.batch.size());
  SmallVector<int64_t> summed =
      rangeOf(otherFree, otherFree + int64_t(other.free.size()));
  // Of the two orders of the factors, the one that needs no transpose.
  SmallVector<int64_t> order = orderOf(side, other, /*contractFirst=*/true);
  if (llvm::is_sorted(order))
    return g.make<DotGeneralOp>(other.value, g.ofResult(), other.batch, batch,
                                other.free, summed);
  order = orderOf(side, other, /*contractFirst=*/false);
  Value product = g.make<DotGeneralOp>(g.ofResult(), other.value, batch,
                                       other.batch, summed, other.free);
  return g.transpose(product, order);
}

LogicalResult DotGeneralOp::buildGradients(GradientBuilder &g) {
  Side lhs(getLhs(), getLhsBatch(), getLhsContract()),
      rhs(getRhs(), getRhsBatch(), getRhsContract());
  int64_t lhsFree = int64_t(lhs.batch.size());
  int64_t rhsFree = lhsFree + int64_t(lhs.free.size());
  if (g.wants(0))
    g.give(0, productGradient(g, lhs, rhs, rhsFree));
  if (g.wants(1))
    g.give(1, productGradient(g, rhs, lhs, lhsFree));
  return success();
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// `shape` with dimension `dim` told apart into `groups` and the rest.
static SmallVector<int64_t> splitGroups(ArrayRef<int64_t> shape, int64_t dim,
                                        int64_t groups) {
  SmallVector<int64_t> result(shape);
  result[dim] /= groups;
  result.insert(result.begin() + dim, groups);
  return result;
}

/// `x` with dimensions `dim` and `dim` + 1 made one.
static Value joinDims(GradientBuilder &g, Value x, int64_t dim) {
  SmallVector<int64_t> shape(tensorOf(x).getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return g.reshape(x, shape);
}

/// The filter with input and output features of each group exchanged, spatial
/// dimensions reversed.
static Value exchanged(GradientBuilder &g, ConvOp op) {
  RankedTensorType type = tensorOf(op.getFilter());
  SmallVector<int64_t> spatial = rangeOf(2, type.getRank());
  Value filter = g.make<ReverseOp>(type, op.getFilter(), spatial);
  filter = g.reshape(filter, splitGroups(type.getShape(), 0, op.getGroups()));
  SmallVector<int64_t> order{0, 2, 1};
  llvm::append_range(order, rangeOf(3, type.getRank() + 1));
  return joinDims(g, g.transpose(filter, order), 0);
}

static Value inputGradient(GradientBuilder &g, ConvOp op) {
  ArrayRef<int64_t> window = tensorOf(op.getFilter()).getShape().drop_front(2);
  WindowDims dims{window, op.getStrides(), op.getLow(), op.getHigh(),
                  op.getDilations()};
  Unslid unslid = unslide(g, tensorOf(op.getInput()), dims, op.getLayout());
  SmallVector<int64_t> ones(window.size(), 1);
  return g.make<ConvOp>(unslid.gradient, exchanged(g, op), ones, unslid.low,
                        unslid.high, op.getDilations(), op.getGroups(),
                        op.getLayout());
}

/// An activation as [features of a group, groups * batch, spatial...], or
/// `groupsFirst` [groups * features of a group, batch, spatial...].
static Value byFeature(GradientBuilder &g, Value x, ConvOp op,
                       bool groupsFirst) {
  ActivationDims dims(tensorOf(x), op.getLayout());
  Value split = g.reshape(
      x, splitGroups(tensorOf(x).getShape(), dims.featureDim, op.getGroups()));
  int64_t group = dims.featureDim, feature = group + 1;
  SmallVector<int64_t> order = groupsFirst
                                   ? SmallVector<int64_t>{group, feature, 0}
                                   : SmallVector<int64_t>{feature, group, 0};
  int64_t spatial =
      op.getLayout() == Layout::ChannelsFirst ? 3 : dims.firstSpatialDim;
  llvm::append_range(order,
                     rangeOf(spatial, spatial + int64_t(dims.spatial.size())));
  return joinDims(g, g.transpose(split, order), groupsFirst ? 0 : 1);
}

/// Per group, the convolution of the input with the gradient as filter, where
/// batch and features have changed places; strides and dilations change places
/// too.
static Value filterGradient(GradientBuilder &g, ConvOp op) {
  Value input = byFeature(g, op.getInput(), op, /*groupsFirst=*/false);
  Value filter = byFeature(g, g.ofResult(), op, /*groupsFirst=*/true);
  ArrayRef<int64_t> window = tensorOf(op.getFilter()).getShape().drop_front(2);
  SmallVector<int64_t> low, high, cropLow{0, 0}, cropHigh{0, 0};
  for (size_t dim = 0; dim < window.size(); ++dim) {
    int64_t size = tensorOf(input).getDimSize(dim + 2);
    int64_t count = tensorOf(filter).getDimSize(dim + 2);
    int64_t before = op.getLow()[dim];
    int64_t after = (window[dim] - 1) * op.getDilations()[dim] +
                    (count - 1) * op.getStrides()[dim] + 1 - size - before;
    low.push_back(std::max<int64_t>(before, 0));
    high.push_back(std::max<int64_t>(after, 0));
    cropLow.push_back(std::min<int64_t>(before, 0));
    cropHigh.push_back(std::min<int64_t>(after, 0));
  }
  SmallVector<int64_t> zeros(cropLow.size(), 0);
  input = g.pad(input, cropLow, cropHigh, zeros);
  Value result = g.make<ConvOp>(input, filter, /*strides=*/op.getDilations(),
                                low, high, /*dilations=*/op.getStrides(),
                                op.getGroups(), Layout::ChannelsFirst);
  SmallVector<int64_t> order = rangeOf(0, zeros.size());
  std::swap(order[0], order[1]);
  return g.transpose(result, order);
}

LogicalResult ConvOp::buildGradients(GradientBuilder &g) {
  if (g.wants(0))
    g.give(0, inputGradient(g, *this));
  if (g.wants(1))
    g.give(1, filterGradient(g, *this));
  return success();
}
