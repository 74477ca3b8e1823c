// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: one dimension after the other, by gathers with weights
// that are known while compiling.

#include "Ops.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

namespace {
/// What all dimensions share.
struct Resizing {
  std::string mode, coordinates, nearest;
  double cubicA = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
};

/// One dimension.
struct Axis {
  int64_t in = 0, out = 0;
  double scale = 1, roiStart = 0, roiEnd = 1;
};

/// Input elements and their weights for one output element.
struct Taps {
  std::vector<std::pair<int64_t, double>> taps;
  bool isOutside = false;
};
} // namespace

/// Where output element `x` lies in the input.
static double originalPosition(const Resizing &r, const Axis &a, int64_t x) {
  double length = double(a.in), resized = double(a.out);
  if (r.coordinates == "align_corners")
    return a.out == 1 ? 0 : double(x) * (length - 1) / (resized - 1);
  if (r.coordinates == "asymmetric")
    return double(x) / a.scale;
  if (r.coordinates == "tf_half_pixel_for_nn")
    return (double(x) + 0.5) / a.scale;
  if (r.coordinates == "tf_crop_and_resize")
    return a.out > 1 ? a.roiStart * (length - 1) +
                           double(x) * (a.roiEnd - a.roiStart) * (length - 1) /
                               (resized - 1)
                     : 0.5 * (a.roiStart + a.roiEnd) * (length - 1);
  if (r.coordinates == "pytorch_half_pixel" && a.out == 1)
    return 0;
  double offset = 0;
  if (r.coordinates == "half_pixel_symmetric")
    offset = length / 2 * (1 - resized / (a.scale * length));
  return offset + (double(x) + 0.5) / a.scale - 0.5;
}

static int64_t nearestIndex(const std::string &mode, double position) {
  if (mode == "floor")
    return int64_t(std::floor(position));
  if (mode == "ceil")
    return int64_t(std::ceil(position));
  if (mode == "round_prefer_ceil")
    return int64_t(std::floor(position + 0.5));
  return int64_t(std::ceil(position - 0.5)); // round_prefer_floor
}

/// The weight of an element at `distance`, for linear and cubic interpolation.
static double kernelAt(const Resizing &r, double distance) {
  double d = std::abs(distance);
  if (r.mode == "linear")
    return std::max(0.0, 1 - d);
  double a = r.cubicA;
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static Taps tapsFor(const Resizing &r, const Axis &a, int64_t x) {
  Taps result;
  double position = originalPosition(r, a, x);
  auto clampIndex = [&](int64_t index) {
    return std::clamp<int64_t>(index, 0, a.in - 1);
  };
  result.isOutside = r.coordinates == "tf_crop_and_resize" &&
                     (position < 0 || position > double(a.in - 1));
  if (r.mode == "nearest") {
    result.taps.emplace_back(clampIndex(nearestIndex(r.nearest, position)), 1);
    return result;
  }
  // Shrinking with antialias widens the kernel.
  double stretch = r.antialias && a.scale < 1 ? 1 / a.scale : 1;
  double reach = (r.mode == "linear" ? 1 : 2) * stretch, sum = 0;
  int64_t first = int64_t(std::floor(position - reach)) + 1;
  int64_t last = int64_t(std::ceil(position + reach)) - 1;
  for (int64_t i = first; i <= std::max(first, last); ++i) {
    bool isInside = i >= 0 && i < a.in;
    double weight = kernelAt(r, (position - double(i)) / stretch);
    if ((!isInside && r.excludeOutside) || weight == 0)
      continue;
    result.taps.emplace_back(clampIndex(i), weight);
    sum += weight;
  }
  if (r.excludeOutside || r.antialias)
    for (auto &[index, weight] : result.taps)
      weight /= sum;
  return result;
}

/// Resizes one dimension.
static Value resizeDim(Emitter &e, Value x, int64_t dim, const Resizing &r,
                       const Axis &a) {
  std::vector<Taps> all;
  size_t most = 1;
  for (int64_t i = 0; i < a.out; ++i) {
    all.push_back(tapsFor(r, a, i));
    most = std::max(most, all.back().taps.size());
  }
  Value sum;
  Type element = elementOf(x);
  for (size_t t = 0; t < most; ++t) {
    IntVector indices;
    SmallVector<double> weights;
    bool isPlain = true;
    for (const Taps &taps : all) {
      bool has = t < taps.taps.size();
      indices.push_back(has ? taps.taps[t].first : 0);
      weights.push_back(has ? taps.taps[t].second : 0);
      isPlain &= weights.back() == 1;
    }
    Value part = e.gather(x, e.ints(indices), dim);
    if (!isPlain && part) {
      Value factor = e.numbers(element, weights, {a.out});
      part =
          e.binary<MulOp>(part, e.broadcastAlong(factor, shapeOf(part), dim));
    }
    sum = sum ? e.binary<AddOp>(sum, part) : part;
  }
  IntVector outside;
  for (const Taps &taps : all)
    outside.push_back(taps.isOutside);
  if (!sum || !llvm::is_contained(outside, 1))
    return sum;
  Value mask = e.compare(Direction::NE, e.ints(outside), 0.0);
  return e.select(e.broadcastAlong(mask, shapeOf(sum), dim),
                  e.splat(typeOf(sum), r.extrapolation), sum);
}

/// Bounds the constants that a resize makes.
static constexpr int64_t kMaxResized = int64_t(1) << 24;

static void resize(Node &node, const Resizing &r, ArrayRef<Axis> axes) {
  Value x = node[0];
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (axis.in == axis.out && r.coordinates != "tf_crop_and_resize")
      continue;
    if (axis.out < 0 || axis.out > kMaxResized || axis.in < 1)
      return (void)node.error("resizes dimension " + Twine(dim) + " from " +
                              Twine(axis.in) + " to " + Twine(axis.out));
    double reach = r.antialias && axis.scale < 1 ? 1 / axis.scale : 1;
    if (!(double(axis.out) * reach <= double(kMaxResized)))
      return (void)node.error("resizes dimension " + Twine(dim) + " from " +
                              Twine(axis.in) + " to " + Twine(axis.out) +
                              " with antialias, which adds up more than " +
                              Twine(kMaxResized) + " elements");
    bool isSame = axis.in == axis.out && axis.roiStart == 0 && axis.roiEnd == 1;
    if (!isSame)
      x = resizeDim(node.emit, x, int64_t(dim), r, axis);
  }
  node.set(x);
}

/// Axes of an input whose dimensions grow by `scales`.
static bool axesFromScales(Node &node, ArrayRef<double> scales,
                           SmallVector<Axis> &axes) {
  Ints shape = shapeOf(node[0]);
  if (scales.size() != shape.size()) {
    node.error("has " + Twine(scales.size()) + " scales for a tensor of rank " +
               Twine(shape.size()));
    return false;
  }
  for (auto [size, scale] : llvm::zip(shape, scales)) {
    double out = std::floor(double(size) * scale);
    if (!(scale > 0) || !(out <= double(kMaxResized))) {
      node.error("has the scale " + Twine(std::to_string(scale)));
      return false;
    }
    axes.push_back({size, int64_t(out), scale, 0, 1});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Upsample, and Resize of opset 10
//===----------------------------------------------------------------------===//

void importUpsample(Node &node) {
  Resizing r;
  r.mode = node.word("mode", "nearest", {"nearest", "linear"});
  r.coordinates = "asymmetric";
  r.nearest = "floor";
  std::optional<SmallVector<double>> scales =
      node.since < 9 ? node.numbers("scales")
                     : node.constantNumbers(1, "scales");
  SmallVector<Axis> axes;
  if (!scales)
    return (void)node.error("has no scales");
  if (axesFromScales(node, *scales, axes))
    resize(node, r, axes);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

static Resizing readResizing(Node &node) {
  Resizing r;
  r.mode = node.word("mode", "nearest", {"nearest", "linear", "cubic"});
  r.coordinates =
      node.word("coordinate_transformation_mode", "half_pixel",
                {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                 "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                 "tf_crop_and_resize"});
  r.nearest =
      node.word("nearest_mode", "round_prefer_floor",
                {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  r.cubicA = node.number("cubic_coeff_a", -0.75);
  r.extrapolation = node.number("extrapolation_value", 0);
  r.excludeOutside = node.flag("exclude_outside");
  r.antialias = node.flag("antialias");
  return r;
}

/// A list over `axes` spread over all dimensions.
template <typename T>
static SmallVector<T> spread(ArrayRef<T> given, Ints axes, int64_t rank,
                             T fill) {
  SmallVector<T> result(rank, fill);
  for (auto [axis, value] : llvm::zip(axes, given))
    result[axis] = value;
  return result;
}

/// Output sizes to axes: as they are, or with the input's proportions kept.
static bool axesFromSizes(Node &node, Ints sizes, Ints dims,
                          SmallVector<Axis> &axes) {
  std::string policy = node.word("keep_aspect_ratio_policy", "stretch",
                                 {"stretch", "not_larger", "not_smaller"});
  Ints shape = shapeOf(node[0]);
  for (int64_t size : shape)
    axes.push_back({size, size, 1, 0, 1});
  double common = policy == "not_larger" ? INFINITY : 0;
  for (auto [dim, size] : llvm::zip(dims, sizes)) {
    if (size < 0 || size > kMaxResized || shape[dim] < 1) {
      node.error("resizes dimension " + Twine(dim) + " of size " +
                 Twine(shape[dim]) + " to " + Twine(size));
      return false;
    }
    double scale = double(size) / double(shape[dim]);
    axes[dim].out = size;
    axes[dim].scale = scale;
    common = policy == "not_larger" ? std::min(common, scale)
                                    : std::max(common, scale);
  }
  for (int64_t dim : dims) {
    if (policy == "stretch")
      continue;
    axes[dim].scale = common;
    axes[dim].out = int64_t(std::floor(common * double(shape[dim]) + 0.5));
  }
  return true;
}

void importResize(Node &node) {
  Resizing r = readResizing(node);
  int64_t rank = rankOf(node[0]);
  auto given = node.integers("axes");
  IntVector dims = given ? *given : range(rank);
  auto checked = node.checkAxes(dims, rank);
  if (!checked)
    return;
  for (int64_t &dim : dims)
    dim = fromEnd(dim, rank);
  auto hasItems = [&](int64_t i) {
    Value list = node[i];
    return list && typeOf(list).getNumElements() > 0;
  };
  SmallVector<Axis> axes;
  if (hasItems(3)) {
    auto sizes = node.sizes(3, "sizes");
    if (!sizes || sizes->size() != dims.size())
      return (void)node.error("has another number of sizes than of axes");
    if (!axesFromSizes(node, *sizes, dims, axes))
      return;
  } else {
    auto scales =
        hasItems(2) ? node.constantNumbers(2, "scales") : std::nullopt;
    node.ignore("keep_aspect_ratio_policy");
    if (!scales || scales->size() != dims.size())
      return (void)node.error("has neither sizes nor scales for its axes");
    if (!axesFromScales(node, spread<double>(*scales, dims, rank, 1.0), axes))
      return;
  }
  if (r.coordinates == "tf_crop_and_resize") {
    auto roi = hasItems(1) ? node.constantNumbers(1, "roi") : std::nullopt;
    if (!roi || roi->size() != 2 * dims.size())
      return (void)node.error("crops without a region for its axes");
    for (auto [i, dim] : llvm::enumerate(dims)) {
      axes[dim].roiStart = (*roi)[i];
      axes[dim].roiEnd = (*roi)[dims.size() + i];
    }
  }
  resize(node, r, axes);
}

} // namespace smp::frontend
