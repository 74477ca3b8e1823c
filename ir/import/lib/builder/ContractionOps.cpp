// SPDX-License-Identifier: Apache-2.0
// The builder's products, windows, reductions and norms.

#include "BuilderState.h"

using namespace smp::ir;

namespace smp {

using frontend::Emitter;
using frontend::Ints;
using frontend::IntVector;
using frontend::Value;
using frontend::Values;
using llvm::Twine;
using Attributes = llvm::SmallVector<mlir::NamedAttribute>;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::matmul(const Tensor &x, const Tensor &y) {
  return state->op("matmul", {x, y},
                   [](Emitter &e, Values v) { return e.matmul(v[0], v[1]); });
}

Tensor GraphBuilder::dotGeneral(const Tensor &x, const Tensor &y,
                                const DotAxes &axes) {
  return state->op("dot_general", {x, y}, [&](Emitter &e, Values v) {
    auto xBatch = state->axesOf(axes.xBatch, x.rank());
    auto yBatch = state->axesOf(axes.yBatch, y.rank());
    auto xContract = state->axesOf(axes.xContract, x.rank());
    auto yContract = state->axesOf(axes.yContract, y.rank());
    if (!xBatch || !yBatch || !xContract || !yContract)
      return Value();
    return e.dot(v[0], v[1], *xBatch, *yBatch, *xContract, *yContract);
  });
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// `given` for each spatial dimension: one number means all.
static std::optional<IntVector> perDim(Emitter &e, Twine what,
                                       const Axes &given, int64_t spatial,
                                       int64_t otherwise) {
  if (given.size() <= 1)
    return IntVector(size_t(spatial), given.empty() ? otherwise : given[0]);
  if (int64_t(given.size()) == spatial)
    return IntVector(given.begin(), given.end());
  e.error("has " + Twine(given.size()) + " " + what + " for " + Twine(spatial) +
          " spatial dimensions; give one for each, or one for all");
  return std::nullopt;
}

/// The window's attributes but its size; nothing after an error.
static std::optional<Attributes>
windowAttributes(Emitter &e, const Window &window, int64_t spatial) {
  Attributes attributes;
  struct {
    const char *name;
    const Axes &given;
    int64_t otherwise;
  } lists[] = {{"strides", window.strides, 1},
               {"low", window.low, 0},
               {"high", window.high, 0},
               {"dilations", window.dilations, 1}};
  for (const auto &list : lists) {
    auto values = perDim(e, list.name, list.given, spatial, list.otherwise);
    if (!values)
      return std::nullopt;
    attributes.push_back(e.attr(list.name, *values));
  }
  Layout layout =
      window.channelsLast ? Layout::ChannelsLast : Layout::ChannelsFirst;
  attributes.push_back(
      e.attr("layout", LayoutAttr::get(e.builder.getContext(), layout)));
  return attributes;
}

/// The number of spatial dimensions of x; nothing after an error.
static std::optional<int64_t> spatialDims(Emitter &e, const Tensor &x) {
  if (x.rank() >= 3)
    return x.rank() - 2;
  e.error("slides a window over a " + toString(x.type()) +
          "; it needs a batch, features and at least one more dimension");
  return std::nullopt;
}

Tensor GraphBuilder::conv(const Tensor &x, const Tensor &filter,
                          const Window &window, int64_t groups) {
  return state->op("conv", {x, filter}, [&](Emitter &e, Values v) {
    auto spatial = spatialDims(e, x);
    if (!spatial)
      return Value();
    if (!window.size.empty())
      return e.error("has a window size; its filter says that");
    auto attributes = windowAttributes(e, window, *spatial);
    if (!attributes)
      return Value();
    attributes->push_back(e.attr("groups", groups));
    return e.make<ConvOp>(v, *attributes);
  });
}

/// Makes a pooling op with the window's attributes and `more`.
template <typename OpT>
static Value pool(Emitter &e, Value value, const Tensor &x,
                  const Window &window, Attributes more) {
  auto spatial = spatialDims(e, x);
  if (!spatial)
    return {};
  if (window.size.empty())
    return e.error("has no window size");
  auto size = perDim(e, "window sizes", window.size, *spatial, 1);
  auto attributes = windowAttributes(e, window, *spatial);
  if (!size || !attributes)
    return {};
  more.append(*attributes);
  more.push_back(e.attr("window", *size));
  return e.make<OpT>(value, more);
}

static mlir::NamedAttribute reduceKind(Emitter &e, Reduction kind) {
  return e.attr("kind", ReduceKindAttr::get(e.builder.getContext(),
                                            ReduceKind(int(kind))));
}

Tensor GraphBuilder::windowReduce(Reduction kind, const Tensor &x,
                                  const Window &window) {
  return state->op("window_reduce", x, [&](Emitter &e, Values v) {
    return pool<WindowReduceOp>(e, v[0], x, window, {reduceKind(e, kind)});
  });
}

Tensor GraphBuilder::maxPool(const Tensor &x, const Window &window) {
  return state->op("max_pool", x, [&](Emitter &e, Values v) {
    return pool<WindowReduceOp>(e, v[0], x, window,
                                {reduceKind(e, Reduction::Max)});
  });
}

Tensor GraphBuilder::avgPool(const Tensor &x, const Window &window,
                             AvgPadding padding) {
  return state->op("avg_pool", x, [&](Emitter &e, Values v) {
    Attributes attributes;
    if (padding == AvgPadding::Counted)
      attributes.push_back(e.attr("count_padding", e.builder.getUnitAttr()));
    return pool<AvgPoolOp>(e, v[0], x, window, attributes);
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The axes, which none means all.
static Axes orAll(const Axes &axes, const Tensor &x) {
  Axes all = axes;
  for (int64_t i = 0; axes.empty() && i < x.rank(); ++i)
    all.push_back(i);
  return all;
}

Tensor GraphBuilder::reduce(Reduction kind, const Tensor &x, const Axes &axes,
                            KeepDims keep) {
  return state->op("reduce", x, [&](Emitter &e, Values v) {
    auto dims = state->axesOf(orAll(axes, x), x.rank());
    if (!dims)
      return Value();
    return e.reduce(ReduceKind(int(kind)), v[0], *dims, keep == KeepDims::Yes);
  });
}

Tensor GraphBuilder::sum(const Tensor &x, const Axes &axes, KeepDims keep) {
  return reduce(Reduction::Sum, x, axes, keep);
}

Tensor GraphBuilder::mean(const Tensor &x, const Axes &axes, KeepDims keep) {
  return state->op("mean", x, [&](Emitter &e, Values v) {
    auto dims = state->axesOf(orAll(axes, x), x.rank());
    return dims ? e.mean(v[0], *dims, keep == KeepDims::Yes) : Value();
  });
}

static Value argReduce(Emitter &e, ReduceKind kind, Value x, int64_t axis) {
  return e.make<ArgReduceOp>(
      x, {e.attr("kind", ReduceKindAttr::get(e.builder.getContext(), kind)),
          e.attr("axis", axis)});
}

Tensor GraphBuilder::argMax(const Tensor &x, int64_t axis) {
  return state->op("arg_max", x, [&](Emitter &e, Values v) {
    auto along = state->axisOf(axis, x.rank());
    return along ? argReduce(e, ReduceKind::Max, v[0], *along) : Value();
  });
}

Tensor GraphBuilder::argMin(const Tensor &x, int64_t axis) {
  return state->op("arg_min", x, [&](Emitter &e, Values v) {
    auto along = state->axisOf(axis, x.rank());
    return along ? argReduce(e, ReduceKind::Min, v[0], *along) : Value();
  });
}

Tensor GraphBuilder::scan(Reduction kind, const Tensor &x, int64_t axis,
                          ScanForm form) {
  return state->op("scan", x, [&](Emitter &e, Values v) {
    auto along = state->axisOf(axis, x.rank());
    if (!along)
      return Value();
    Attributes attributes{reduceKind(e, kind), e.attr("axis", *along)};
    if (form.exclusive)
      attributes.push_back(e.attr("exclusive", e.builder.getUnitAttr()));
    if (form.reverse)
      attributes.push_back(e.attr("reverse", e.builder.getUnitAttr()));
    return e.make<ScanOp>(v[0], attributes, v[0].getType());
  });
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

/// An op along one axis, or over the dimensions from one on, whose result is
/// like its first operand.
template <typename OpT>
static Value alongAxis(Emitter &e, Values v, std::optional<int64_t> axis,
                       std::optional<double> epsilon = std::nullopt) {
  if (!axis)
    return {};
  Attributes attributes{e.attr("axis", *axis)};
  if (epsilon)
    attributes.push_back(
        e.attr("epsilon", e.builder.getF64FloatAttr(*epsilon)));
  return e.make<OpT>(v, attributes, v[0].getType());
}

Tensor GraphBuilder::softmax(const Tensor &x, int64_t axis) {
  return state->op("softmax", x, [&](Emitter &e, Values v) {
    return alongAxis<SoftmaxOp>(e, v, state->axisOf(axis, x.rank()));
  });
}

Tensor GraphBuilder::logSoftmax(const Tensor &x, int64_t axis) {
  return state->op("log_softmax", x, [&](Emitter &e, Values v) {
    return alongAxis<LogSoftmaxOp>(e, v, state->axisOf(axis, x.rank()));
  });
}

Tensor GraphBuilder::layerNorm(const Tensor &x, const Tensor &scale,
                               const Tensor &bias, int64_t axis,
                               double epsilon) {
  return state->op("layer_norm", {x, scale, bias}, [&](Emitter &e, Values v) {
    return alongAxis<LayerNormOp>(e, v, state->axisOf(axis, x.rank()), epsilon);
  });
}

Tensor GraphBuilder::rmsNorm(const Tensor &x, const Tensor &scale, int64_t axis,
                             double epsilon) {
  return state->op("rms_norm", {x, scale}, [&](Emitter &e, Values v) {
    return alongAxis<RmsNormOp>(e, v, state->axisOf(axis, x.rank()), epsilon);
  });
}

Tensor GraphBuilder::batchNorm(const Tensor &x, const Tensor &scale,
                               const Tensor &bias, const Tensor &mean,
                               const Tensor &variance, int64_t axis,
                               double epsilon) {
  return state->op("batch_norm", {x, scale, bias, mean, variance},
                   [&](Emitter &e, Values v) {
                     return alongAxis<BatchNormOp>(
                         e, v, state->axisOf(axis, x.rank()), epsilon);
                   });
}

} // namespace smp
