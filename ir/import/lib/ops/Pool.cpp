// SPDX-License-Identifier: Apache-2.0
#include "Ops.h"
#include "Window.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static Value windowReduce(Emitter &e, ReduceKind kind, Value x,
                          const Window &window) {
  auto attributes = windowAttributes(e, window, /*withWindow=*/true);
  attributes.push_back(
      e.attr("kind", ReduceKindAttr::get(e.builder.getContext(), kind)));
  return e.make<WindowReduceOp>(x, attributes);
}

//===----------------------------------------------------------------------===//
// MaxPool
//===----------------------------------------------------------------------===//

/// Positions in one window above which indices are refused: each costs ops.
static constexpr int64_t kMaxWindowPositions = 1024;

/// One strided slice of `x` per window position, stacked along a new last
/// dimension. `x` is padded already.
static Value stackWindows(Emitter &e, Value x, const Window &window,
                          Ints outSpatial) {
  int64_t positions = 1;
  for (int64_t size : window.kernel)
    positions *= size;
  SmallVector<Value> slices;
  for (int64_t p = 0; p < positions; ++p) {
    IntVector starts(2, 0), limits(shapeOf(x).take_front(2)), strides(2, 1);
    int64_t rest = p, below = positions;
    for (size_t i = 0; i < window.kernel.size(); ++i) {
      below /= window.kernel[i];
      int64_t start = rest / below * window.dilations[i];
      rest %= below;
      starts.push_back(start);
      strides.push_back(window.strides[i]);
      limits.push_back(start + (outSpatial[i] - 1) * window.strides[i] + 1);
    }
    slices.push_back(
        e.unsqueeze(e.slice(x, starts, limits, strides), rankOf(x)));
  }
  return e.concat(slices, rankOf(x));
}

/// Where each window's maximum is in the flattened input.
static Value maxIndices(Node &node, Value x, const Window &window,
                        Value result) {
  Emitter &e = node.emit;
  bool isColumnMajor = node.integer("storage_order") == 1;
  Type i64 = e.builder.getI64Type();
  IntVector shape(shapeOf(x)), low(2, 0), high(2, 0);
  low.append(window.low);
  high.append(window.high);
  Value index = e.reshape(e.iota(i64, {typeOf(x).getNumElements()}, 0), shape);
  if (isColumnMajor) {
    IntVector reversed(shape), order{0, 1};
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 2; --dim)
      order.push_back(dim);
    std::reverse(reversed.begin() + 2, reversed.end());
    index = e.transpose(
        e.reshape(e.iota(i64, {typeOf(x).getNumElements()}, 0), reversed),
        order);
  }
  double lowest = isFloat(x) ? -INFINITY : 0;
  Value padded = e.pad(x, low, high, e.scalar(elementOf(x), lowest));
  Value paddedIndex = e.pad(index, low, high);
  Ints outSpatial = shapeOf(result).drop_front(2);
  Value windows = stackWindows(e, padded, window, outSpatial);
  Value indices = stackWindows(e, paddedIndex, window, outSpatial);
  int64_t axis = rankOf(x);
  Value best = e.make<ArgReduceOp>(
      windows, {e.attr("kind", ReduceKindAttr::get(e.builder.getContext(),
                                                   ReduceKind::Max)),
                e.attr("axis", axis)});
  Value chosen = e.make<GatherElementsOp>({indices, e.unsqueeze(best, axis)},
                                          {e.attr("axis", axis)});
  return e.squeeze(chosen, axis);
}

void importMaxPool(Node &node) {
  Value x = node[0];
  auto spatial = spatialOf(node, x);
  auto window = spatial ? readWindow(node, *spatial) : std::nullopt;
  node.integer("storage_order");
  if (!window)
    return;
  Value result = windowReduce(node.emit, ReduceKind::Max, x, *window);
  node.set(0, result);
  if (!node.wants(1) || !result)
    return;
  double positions = 1;
  for (int64_t size : window->kernel)
    positions *= double(size);
  if (positions > double(kMaxWindowPositions))
    return (void)node.error("gives the indices of windows of " +
                            Twine(int64_t(positions)) + " elements; at most " +
                            Twine(kMaxWindowPositions) + " are supported");
  node.set(1, maxIndices(node, x, *window, result));
}

//===----------------------------------------------------------------------===//
// AveragePool, LpPool
//===----------------------------------------------------------------------===//

void importAveragePool(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto spatial = spatialOf(node, x);
  auto window = spatial ? readWindow(node, *spatial) : std::nullopt;
  bool countsPadding = node.flag("count_include_pad");
  if (!window)
    return;
  bool isRounded = llvm::any_of(window->extra, [](int64_t pad) { return pad; });
  if (countsPadding && isRounded) {
    // Padding that was asked for counts, padding from rounding does not.
    IntVector low(2, 0), high(2, 0);
    low.append(window->low);
    for (auto [pad, extra] : llvm::zip(window->high, window->extra))
      high.push_back(pad - extra);
    x = e.pad(x, low, high);
    window->low.assign(spatial->size(), 0);
    window->high = window->extra;
    countsPadding = false;
  }
  auto attributes = windowAttributes(e, *window, /*withWindow=*/true);
  if (countsPadding)
    attributes.push_back(e.attr("count_padding", e.builder.getUnitAttr()));
  node.set(e.make<AvgPoolOp>(x, attributes));
}

/// (sum of |x|^p)^(1/p), the sum made by `sum`.
template <typename Sum>
static Value powerSum(Emitter &e, Value x, int64_t p, Sum sum) {
  Value size = e.unary<AbsOp>(x);
  if (p == 1)
    return sum(size);
  if (p == 2)
    return e.unary<SqrtOp>(sum(e.binary<MulOp>(size, size)));
  return e.binary<PowOp>(sum(e.binary<PowOp>(size, double(p))),
                         1.0 / double(p));
}

void importLpPool(Node &node) {
  Value x = node[0];
  auto spatial = spatialOf(node, x);
  auto window = spatial ? readWindow(node, *spatial) : std::nullopt;
  int64_t p = node.integer("p", 2);
  if (window)
    node.set(powerSum(node.emit, x, p, [&](Value powers) {
      return windowReduce(node.emit, ReduceKind::Sum, powers, *window);
    }));
}

//===----------------------------------------------------------------------===//
// Global pools
//===----------------------------------------------------------------------===//

static std::optional<IntVector> spatialDims(Node &node) {
  if (!spatialOf(node, node[0]))
    return std::nullopt;
  IntVector dims = range(rankOf(node[0]));
  dims.erase(dims.begin(), dims.begin() + 2);
  return dims;
}

void importGlobalAveragePool(Node &node) {
  if (auto dims = spatialDims(node))
    node.set(node.emit.mean(node[0], *dims, /*keepDims=*/true));
}

void importGlobalMaxPool(Node &node) {
  if (auto dims = spatialDims(node))
    node.set(
        node.emit.reduce(ReduceKind::Max, node[0], *dims, /*keepDims=*/true));
}

void importGlobalLpPool(Node &node) {
  auto dims = spatialDims(node);
  int64_t p = node.integer("p", 2);
  if (dims)
    node.set(powerSum(node.emit, node[0], p, [&](Value powers) {
      return node.emit.reduce(ReduceKind::Sum, powers, *dims,
                              /*keepDims=*/true);
    }));
}

} // namespace smp::frontend
