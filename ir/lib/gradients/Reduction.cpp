// SPDX-License-Identifier: Apache-2.0
// Gradients of reductions, running reductions and windows.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

template <typename Op>
static LogicalResult refuse(Op op) {
  return op.emitOpError() << "of kind " << stringifyReduceKind(op.getKind())
                          << " has no gradient";
}

//===----------------------------------------------------------------------===//
// reduce and scan
//===----------------------------------------------------------------------===//

/// Elements that equal the result share its gradient.
static Value share(GradientBuilder &g, ReduceOp op) {
  RankedTensorType type = tensorOf(op.getInput());
  ArrayRef<int64_t> dims = op.getDimensions();
  Value hit = g.compare(Direction::EQ, op.getInput(),
                        g.spread(op.getResult(), type, dims));
  Value count = g.sum(g.make<ConvertOp>(type, hit), dims);
  Value part = g.div(g.ofResult(), count);
  return g.maskedBy(hit, g.spread(part, type, dims));
}

/// The product of all others along the last dimension: of those before and
/// those after, so that a zero does no harm.
static Value others(GradientBuilder &g, Value x) {
  auto scan = [&](bool reverse) {
    return g.make<ScanOp>(x.getType(), ReduceKind::Prod, x,
                          tensorOf(x).getRank() - 1, /*exclusive=*/true,
                          reverse);
  };
  return g.mul(scan(/*reverse=*/false), scan(/*reverse=*/true));
}

static Value productGradient(GradientBuilder &g, ReduceOp op) {
  RankedTensorType type = tensorOf(op.getInput());
  // Reduced dimensions last, as one.
  SmallVector<int64_t> order, back(type.getRank());
  SmallVector<int64_t> shape(tensorOf(op.getResult()).getShape());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim))
      order.push_back(dim);
  int64_t count = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (llvm::is_contained(op.getDimensions(), dim)) {
      order.push_back(dim);
      count *= type.getDimSize(dim);
    }
  shape.push_back(count);
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = int64_t(to);
  Value moved = g.transpose(op.getInput(), order);
  Value factor =
      g.reshape(others(g, g.reshape(moved, shape)), tensorOf(moved).getShape());
  return g.mul(g.spread(g.ofResult(), type, op.getDimensions()),
               g.transpose(factor, back));
}

LogicalResult ReduceOp::buildGradients(GradientBuilder &g) {
  RankedTensorType type = tensorOf(getInput());
  switch (getKind()) {
  case ReduceKind::Sum:
    g.give(0, g.spread(g.ofResult(), type, getDimensions()));
    break;
  case ReduceKind::SumSquares: {
    Value doubled = g.scale(g.ofResult(), 2);
    g.give(0, g.mul(g.spread(doubled, type, getDimensions()), getInput()));
    break;
  }
  case ReduceKind::Max:
  case ReduceKind::Min:
    g.give(0, share(g, *this));
    break;
  case ReduceKind::Prod:
    g.give(0, productGradient(g, *this));
    break;
  }
  return success();
}

LogicalResult ScanOp::buildGradients(GradientBuilder &g) {
  if (getKind() != ReduceKind::Sum)
    return refuse(*this);
  g.give(0, g.make<ScanOp>(getType(), ReduceKind::Sum, g.ofResult(), getAxis(),
                           getExclusive(), /*reverse=*/!getReverse()));
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Unslid smp::ir::unslide(GradientBuilder &g, RankedTensorType input,
                        const WindowDims &dims, Layout layout) {
  ActivationDims from(input, layout), to(tensorOf(g.ofResult()), layout);
  SmallVector<int64_t> cropLow(input.getRank(), 0), cropHigh = cropLow,
                                                    interior = cropLow;
  Unslid result;
  for (size_t i = 0; i < from.spatial.size(); ++i) {
    size_t dim = from.firstSpatialDim + i;
    int64_t reach = (dims.window[i] - 1) * dims.dilations[i];
    int64_t stretched = (to.spatial[i] - 1) * dims.strides[i] + 1;
    int64_t low = reach - dims.low[i];
    int64_t high = from.spatial[i] + reach - stretched - low;
    interior[dim] = dims.strides[i] - 1;
    cropLow[dim] = std::min<int64_t>(low, 0);
    cropHigh[dim] = std::min<int64_t>(high, 0);
    result.low.push_back(std::max<int64_t>(low, 0));
    result.high.push_back(std::max<int64_t>(high, 0));
  }
  result.gradient = g.pad(g.ofResult(), cropLow, cropHigh, interior);
  return result;
}

namespace {
/// The gradient of the extremes under a window: that of each goes to the first
/// position, in row-major order, that holds it.
class ExtremeGradient {
public:
  ExtremeGradient(GradientBuilder &g, WindowReduceOp op)
      : g(g), op(op), from(tensorOf(op.getInput()), op.getLayout()),
        to(tensorOf(op.getResult()), op.getLayout()),
        low(tensorOf(op.getInput()).getRank(), 0), high(low), zeros(low) {
    for (size_t i = 0; i < from.spatial.size(); ++i) {
      low[from.firstSpatialDim + i] = op.getLow()[i];
      high[from.firstSpatialDim + i] = op.getHigh()[i];
    }
  }

  Value build() {
    double worst = op.getKind() == ReduceKind::Max ? -INFINITY : INFINITY;
    Type element = tensorOf(op.getInput()).getElementType();
    padded = g.make<PadOp>(op.getInput(),
                           g.splat(RankedTensorType::get({}, element), worst),
                           low, high, zeros);
    SmallVector<int64_t> position(from.spatial.size(), 0);
    do
      visit(position);
    while (advance(position));
    auto negated = [](ArrayRef<int64_t> list) {
      return llvm::map_to_vector(list, [](int64_t value) { return -value; });
    };
    return g.pad(sum, negated(low), negated(high), zeros);
  }

private:
  /// To the next position of the window, in row-major order.
  bool advance(SmallVectorImpl<int64_t> &position) {
    for (size_t i = position.size(); i-- > 0;) {
      if (++position[i] < op.getWindow()[i])
        return true;
      position[i] = 0;
    }
    return false;
  }

  void visit(ArrayRef<int64_t> position) {
    ArrayRef<int64_t> shape = tensorOf(padded).getShape();
    SmallVector<int64_t> starts(zeros), limits(shape), strides(shape.size(), 1);
    SmallVector<int64_t> after(zeros), interior(zeros);
    for (size_t i = 0; i < position.size(); ++i) {
      size_t dim = from.firstSpatialDim + i;
      starts[dim] = position[i] * op.getDilations()[i];
      strides[dim] = op.getStrides()[i];
      limits[dim] = starts[dim] + (to.spatial[i] - 1) * strides[dim] + 1;
      after[dim] = shape[dim] - limits[dim];
      interior[dim] = strides[dim] - 1;
    }
    Value x = g.make<SliceOp>(padded, starts, limits, strides);
    Value hit = g.compare(Direction::EQ, x, op.getResult());
    Value first = taken ? g.make<AndOp>(hit, g.make<NotOp>(taken)) : hit;
    taken = taken ? g.make<OrOp>(taken, hit) : hit;
    Value part =
        g.pad(g.maskedBy(first, g.ofResult()), starts, after, interior);
    sum = sum ? g.add(sum, part) : part;
  }

  GradientBuilder &g;
  WindowReduceOp op;
  ActivationDims from, to;
  SmallVector<int64_t> low, high, zeros;
  Value padded, taken, sum;
};
} // namespace

LogicalResult WindowReduceOp::buildGradients(GradientBuilder &g) {
  if (getKind() == ReduceKind::Max || getKind() == ReduceKind::Min) {
    g.give(0, ExtremeGradient(g, *this).build());
    return success();
  }
  if (getKind() != ReduceKind::Sum)
    return refuse(*this);
  WindowDims dims{getWindow(), getStrides(), getLow(), getHigh(),
                  getDilations()};
  Unslid unslid = unslide(g, tensorOf(getInput()), dims, getLayout());
  SmallVector<int64_t> ones(getWindow().size(), 1);
  g.give(0, g.make<WindowReduceOp>(unslid.gradient, ReduceKind::Sum,
                                   getWindow(), ones, unslid.low, unslid.high,
                                   getDilations(), getLayout()));
  return success();
}
