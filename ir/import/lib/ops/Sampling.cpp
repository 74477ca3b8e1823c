// SPDX-License-Identifier: Apache-2.0
// Values of tensors between their elements, at positions that are data.

#include "Sampling.h"
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

Value combineTaps(Emitter &e, Value x, ArrayRef<SmallVector<Tap>> taps,
                  bool takesMax) {
  int64_t rank = rankOf(x);
  IntVector order{0}, flat{dimOf(x, 0), 1, dimOf(x, 1)};
  for (int64_t dim = 2; dim < rank; ++dim) {
    order.push_back(dim);
    flat[1] *= dimOf(x, dim);
  }
  order.push_back(1);
  Value table = e.reshape(e.transpose(x, order), flat);
  Value result;
  SmallVector<size_t> chosen(taps.size(), 0);
  for (;;) {
    Value index, weight;
    for (size_t dim = 0; dim < taps.size(); ++dim) {
      const Tap &tap = taps[dim][chosen[dim]];
      index =
          index
              ? e.binary<AddOp>(
                    e.binary<MulOp>(index, double(dimOf(x, int64_t(dim) + 2))),
                    tap.index)
              : tap.index;
      weight = weight ? e.binary<MulOp>(weight, tap.weight) : tap.weight;
    }
    if (!index || !weight)
      return {};
    Value found = e.make<GatherNdOp>({table, e.unsqueeze(index, 2)},
                                     {e.attr("batch_dims", 1)});
    Value part = e.binary<MulOp>(found, e.unsqueeze(weight, 2));
    if (!result)
      result = part;
    else
      result = takesMax ? e.binary<MaxOp>(result, part)
                        : e.binary<AddOp>(result, part);
    size_t dim = 0;
    while (dim < taps.size() && ++chosen[dim] == taps[dim].size())
      chosen[dim++] = 0;
    if (dim == taps.size())
      return result;
  }
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
struct Grid {
  std::string mode, padding;
  bool alignsCorners = false;
};
} // namespace

/// Mirrors positions at the borders until they are inside.
static Value reflect(Emitter &e, Value position, double low, double high) {
  double length = high - low;
  if (length <= 0)
    return e.splat(typeOf(position), 0);
  Value distance = e.unary<AbsOp>(e.binary<SubOp>(position, low));
  Value rounds = e.unary<FloorOp>(e.binary<DivOp>(distance, length));
  Value rest = e.binary<SubOp>(distance, e.binary<MulOp>(rounds, length));
  Value isOdd = e.compare(
      Direction::NE, e.binary<RemOp>(rounds, e.splat(typeOf(rounds), 2)), 0.0);
  Value forward = e.binary<AddOp>(rest, low);
  return e.select(isOdd, e.binary<SubOp>(high, rest), forward);
}

/// The tap at `position` (whole numbers as float) with `weight`, as the padding
/// mode says.
static Tap tapAt(Emitter &e, const Grid &g, Value position, Value weight,
                 int64_t size) {
  double last = double(size - 1);
  if (g.padding == "zeros") {
    Value isInside = e.binary<AndOp>(e.compare(Direction::GE, position, 0.0),
                                     e.compare(Direction::LE, position, last));
    weight = e.select(isInside, weight, e.splat(typeOf(weight), 0));
  } else if (g.padding == "reflection") {
    double low = g.alignsCorners ? 0 : -0.5;
    position = e.unary<RoundOp>(
        reflect(e, position, low, g.alignsCorners ? last : last + 0.5));
  }
  Value clamped = e.binary<MinOp>(e.binary<MaxOp>(position, 0.0), last);
  return {e.convert(clamped, e.builder.getI64Type()), weight};
}

/// Cubic weights of the elements at distance 1 + t, t, 1 - t, 2 - t.
static SmallVector<Value> cubicWeights(Emitter &e, Value t) {
  constexpr double a = -0.75;
  auto near = [&](Value d) { // ((a + 2) d - (a + 3)) d^2 + 1
    Value inner = e.binary<SubOp>(e.binary<MulOp>(d, a + 2), a + 3);
    return e.binary<AddOp>(e.binary<MulOp>(inner, e.binary<MulOp>(d, d)), 1.0);
  };
  auto far = [&](Value d) { // ((a d - 5a) d + 8a) d - 4a
    Value inner = e.binary<SubOp>(e.binary<MulOp>(d, a), 5 * a);
    inner = e.binary<AddOp>(e.binary<MulOp>(inner, d), 8 * a);
    return e.binary<SubOp>(e.binary<MulOp>(inner, d), 4 * a);
  };
  return {far(e.binary<AddOp>(t, 1.0)), near(t), near(e.binary<SubOp>(1.0, t)),
          far(e.binary<SubOp>(2.0, t))};
}

/// The taps of one dimension of `size` at positions in -1..1, [batch, points].
static SmallVector<Tap> gridTaps(Emitter &e, const Grid &g, Value position,
                                 int64_t size) {
  Value shifted = e.binary<AddOp>(position, 1.0);
  Value x =
      g.alignsCorners
          ? e.binary<MulOp>(shifted, double(size - 1) / 2)
          : e.binary<SubOp>(e.binary<MulOp>(shifted, double(size) / 2), 0.5);
  if (!x)
    return {};
  if (g.padding == "border")
    x = e.binary<MinOp>(e.binary<MaxOp>(x, 0.0), double(size - 1));
  else if (g.padding == "reflection" && g.mode != "cubic")
    x = reflect(e, x, g.alignsCorners ? 0 : -0.5,
                g.alignsCorners ? double(size - 1) : double(size) - 0.5);
  Value one = e.splat(typeOf(x), 1);
  if (g.mode == "nearest")
    return {tapAt(e, g, e.unary<RoundOp>(x), one, size)};
  Value base = e.unary<FloorOp>(x), t = e.binary<SubOp>(x, base);
  SmallVector<Value> weights;
  int64_t first = 0;
  if (g.mode == "linear") {
    weights = {e.binary<SubOp>(1.0, t), t};
  } else {
    weights = cubicWeights(e, t);
    first = -1;
  }
  SmallVector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(weights))
    taps.push_back(tapAt(
        e, g, e.binary<AddOp>(base, double(first + int64_t(i))), weight, size));
  return taps;
}

SmallVector<Tap> linearTaps(Emitter &e, Value position, int64_t size) {
  Grid zeros{"linear", "zeros"};
  Value base = e.unary<FloorOp>(position);
  Value t = e.binary<SubOp>(position, base);
  return {tapAt(e, zeros, base, e.binary<SubOp>(1.0, t), size),
          tapAt(e, zeros, e.binary<AddOp>(base, 1.0), t, size)};
}

void importGridSample(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], positions = node[1];
  Grid g;
  g.mode =
      node.since < 20
          ? node.word("mode", "bilinear", {"bilinear", "nearest", "bicubic"})
          : node.word("mode", "linear", {"linear", "nearest", "cubic"});
  if (StringRef(g.mode).starts_with("bi"))
    g.mode = g.mode.substr(2);
  g.padding =
      node.word("padding_mode", "zeros", {"zeros", "border", "reflection"});
  g.alignsCorners = node.flag("align_corners");
  int64_t rank = rankOf(x), spatial = rank - 2;
  if (rank < 3 || rankOf(positions) != rank ||
      dimOf(positions, rank - 1) != spatial ||
      dimOf(positions, 0) != dimOf(x, 0) || llvm::is_contained(shapeOf(x), 0))
    return (void)node.error("has a grid that does not fit its input");
  int64_t points = 1;
  IntVector shape(shapeOf(positions).drop_back());
  for (int64_t size : Ints(shape).drop_front())
    points *= size;
  Value flat = e.reshape(e.convert(positions, elementOf(x)),
                         {dimOf(x, 0), points, spatial});
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t dim = 0; dim < spatial; ++dim) { // The grid names x, y, z.
    taps.push_back(
        gridTaps(e, g, e.take(flat, 2, spatial - 1 - dim), dimOf(x, dim + 2)));
    if (taps.back().empty())
      return;
  }
  Value sampled = combineTaps(e, x, taps);
  shape.push_back(dimOf(x, 1));
  IntVector order{0, rank - 1};
  for (int64_t dim = 1; dim < rank - 1; ++dim)
    order.push_back(dim);
  node.set(e.transpose(e.reshape(sampled, shape), order));
}

/// Points of an output of `size`, moved by a matrix per batch element.
void importAffineGrid(Node &node) {
  Emitter &e = node.emit;
  Value theta = node[0];
  auto size = node.sizes(1, "size");
  bool alignsCorners = node.flag("align_corners");
  if (!size)
    return;
  int64_t spatial = int64_t(size->size()) - 2;
  if (spatial < 1 || rankOf(theta) != 3 || dimOf(theta, 1) != spatial ||
      dimOf(theta, 2) != spatial + 1)
    return (void)node.error("has matrices that do not fit its size");
  IntVector shape(size->begin() + 2, size->end());
  for (int64_t item : *size)
    if (item < 1 || item > (1 << 24))
      return (void)node.error("has the size " + Twine(item));
  SmallVector<Value> parts;
  IntVector column(shape);
  column.push_back(1);
  for (int64_t dim = spatial - 1; dim >= 0; --dim) { // x, y, z
    double length = double(shape[dim]);
    Value index = e.iota(elementOf(theta), shape, dim);
    Value point =
        alignsCorners
            ? e.binary<SubOp>(
                  e.binary<MulOp>(index, 2 / std::max(length - 1, 1.0)), 1.0)
            : e.binary<SubOp>(
                  e.binary<DivOp>(
                      e.binary<AddOp>(e.binary<MulOp>(index, 2.0), 1.0),
                      length),
                  1.0);
    parts.push_back(e.reshape(point, column));
  }
  parts.push_back(e.splat(RankedTensorType::get(column, elementOf(theta)), 1));
  Value base = e.concat(parts, spatial); // [spatial..., spatial + 1]
  Value grid = e.dot(theta, base, {}, {}, {2}, {spatial});
  IntVector order{0}; // [batch, spatial axes, shape...]
  for (int64_t dim = 0; dim < spatial; ++dim)
    order.push_back(dim + 2);
  order.push_back(1);
  node.set(e.transpose(grid, order));
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// The taps of one dimension for `bins` bins of `samples` points each:
/// start + (bin + (sample + 0.5) / samples) * size, [regions, bins * samples].
static SmallVector<Tap> roiTaps(Emitter &e, Value start, Value size,
                                int64_t bins, int64_t samples, int64_t length) {
  SmallVector<double> offsets;
  for (int64_t i = 0; i < bins * samples; ++i)
    offsets.push_back((double(i) + 0.5) / double(samples));
  Value offset = e.numbers(elementOf(start), offsets, {1, bins * samples});
  Value position = e.binary<AddOp>(
      e.unsqueeze(start, 1), e.binary<MulOp>(e.unsqueeze(size, 1), offset));
  Value isInside =
      e.binary<AndOp>(e.compare(Direction::GE, position, -1.0),
                      e.compare(Direction::LE, position, double(length)));
  Value clamped =
      e.binary<MinOp>(e.binary<MaxOp>(position, 0.0), double(length - 1));
  Value base = e.unary<FloorOp>(clamped), t = e.binary<SubOp>(clamped, base);
  Value next = e.binary<MinOp>(e.binary<AddOp>(base, 1.0), double(length - 1));
  auto masked = [&](Value weight) {
    return weight ? e.select(isInside, weight, e.splat(typeOf(weight), 0))
                  : weight;
  };
  Type i64 = e.builder.getI64Type();
  return {{e.convert(base, i64), masked(e.binary<SubOp>(1.0, t))},
          {e.convert(next, i64), masked(t)}};
}

void importRoiAlign(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], regions = node[1], batch = node[2];
  bool isMax = node.word("mode", "avg", {"avg", "max"}) == "max";
  std::string coordinates =
      node.word("coordinate_transformation_mode",
                node.since < 16 ? "output_half_pixel" : "half_pixel",
                {"half_pixel", "output_half_pixel"});
  int64_t height = node.integer("output_height", 1),
          width = node.integer("output_width", 1);
  int64_t samples = node.integer("sampling_ratio", 0);
  double scale = node.number("spatial_scale", 1);
  if (samples < 1 || samples > 64 || height < 1 || width < 1 || height > 4096 ||
      width > 4096)
    return (void)node.error("has a sampling_ratio of " + Twine(samples) +
                            "; the number of samples must be fixed, 1 to 64");
  if (rankOf(x) != 4 || rankOf(regions) != 2 || dimOf(regions, 1) != 4 ||
      rankOf(batch) != 1 || dimOf(batch, 0) != dimOf(regions, 0))
    return (void)node.error("has regions that are no [count, 4]");
  int64_t count = dimOf(regions, 0);
  bool isHalfPixel = coordinates == "half_pixel";
  auto edge = [&](int64_t i) {
    return e.binary<SubOp>(e.binary<MulOp>(e.take(regions, 1, i), scale),
                           isHalfPixel ? 0.5 : 0.0);
  };
  auto extent = [&](int64_t from, int64_t to, int64_t bins) {
    Value size = e.binary<SubOp>(edge(to), edge(from));
    if (!isHalfPixel)
      size = e.binary<MaxOp>(size, 1.0);
    return e.binary<DivOp>(size, double(bins));
  };
  auto rows =
      roiTaps(e, edge(1), extent(1, 3, height), height, samples, dimOf(x, 2));
  auto columns =
      roiTaps(e, edge(0), extent(0, 2, width), width, samples, dimOf(x, 3));
  // Every row position with every column position.
  int64_t down = height * samples, across = width * samples;
  auto spreadOver = [&](SmallVector<Tap> &taps, int64_t dim) {
    for (Tap &tap : taps)
      for (Value *value : {&tap.index, &tap.weight}) {
        if (!*value)
          return;
        Value wide =
            e.make<BroadcastOp>(*value, {e.attr("dimensions", {0, dim})},
                                typeOf(*value).clone({count, down, across}));
        *value = e.reshape(wide, {count, down * across});
      }
  };
  spreadOver(rows, 1);
  spreadOver(columns, 2);
  Value images = e.gather(x, batch, 0);
  Value sampled = combineTaps(e, images, {rows, columns}, isMax);
  sampled =
      e.reshape(sampled, {count, height, samples, width, samples, dimOf(x, 1)});
  Value pooled =
      isMax ? e.reduce(ReduceKind::Max, sampled, {2, 4}, /*keepDims=*/false)
            : e.mean(sampled, {2, 4}, /*keepDims=*/false);
  node.set(e.transpose(pooled, {0, 3, 1, 2}));
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

void importMaxUnpool(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], indices = node[1];
  auto kernel = node.integers("kernel_shape"), pads = node.integers("pads"),
       strides = node.integers("strides");
  size_t spatial = rankOf(x) < 3 ? 0 : size_t(rankOf(x) - 2);
  if (!pads)
    pads = IntVector(2 * spatial, 0);
  if (!strides)
    strides = IntVector(spatial, 1);
  if (!spatial || !kernel || kernel->size() != spatial ||
      pads->size() != 2 * spatial || strides->size() != spatial ||
      shapeOf(indices) != shapeOf(x))
    return (void)node.error(
        "has a window or indices that do not fit its input");
  IntVector shape(shapeOf(x).take_front(2));
  for (size_t i = 0; i < spatial; ++i)
    shape.push_back((dimOf(x, int64_t(i) + 2) - 1) * (*strides)[i] +
                    (*kernel)[i] - (*pads)[i] - (*pads)[spatial + i]);
  IntVector more(shape.size(), 0);
  if (node.has(2)) { // A larger output has zeros at its ends.
    auto given = node.constant(2, "output_shape");
    if (!given || given->size() != shape.size())
      return (void)node.error("has an output_shape of another rank");
    for (size_t i = 0; i < shape.size(); ++i)
      if (__builtin_sub_overflow((*given)[i], shape[i], &more[i]))
        return (void)node.error("has the size " + Twine((*given)[i]));
  }
  int64_t total = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(total, size, &total))
      return (void)node.error("makes a tensor that no one can hold");
  Value zeros = e.splat(RankedTensorType::get({total}, elementOf(x)), 0);
  int64_t count = typeOf(x).getNumElements();
  NamedAttribute replace =
      e.attr("kind", ScatterKindAttr::get(e.builder.getContext(),
                                          ScatterKind::Replace));
  Value filled = e.make<ScatterElementsOp>(
      {zeros, e.reshape(indices, {count}), e.reshape(x, {count})},
      {e.attr("axis", 0), replace}, typeOf(zeros));
  node.set(e.pad(e.reshape(filled, shape), IntVector(shape.size(), 0), more));
}

} // namespace smp::frontend
