// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, as products with matrices of waves, and windows.

#include "Ops.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Numbers of a table that is made while importing.
static constexpr int64_t kMaxTable = int64_t(1) << 24;

/// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n).
static void importWindow(Node &node, double a0, double a1, double a2) {
  Emitter &e = node.emit;
  auto size = node.constant(0, "size");
  Type type = node.elementType(node.integer("output_datatype", 1));
  bool isPeriodic = node.flag("periodic", true);
  if (!size || !type)
    return;
  if (size->size() != 1 || size->front() < 0 || size->front() > kMaxTable)
    return (void)node.error("needs one size of at most 2^24");
  int64_t count = size->front();
  double period = double(isPeriodic ? count : count - 1);
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    double angle = period > 0 ? 2 * M_PI * double(i) / period : 0;
    values.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  node.set(e.numbers(type, values, {count}));
}

void importHannWindow(Node &node) { importWindow(node, 0.5, 0.5, 0); }
void importHammingWindow(Node &node) {
  importWindow(node, 25.0 / 46, 1 - 25.0 / 46, 0);
}
void importBlackmanWindow(Node &node) { importWindow(node, 0.42, 0.5, 0.08); }

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// Longest signal whose matrix of waves is made: 2 * length^2 numbers.
static constexpr int64_t kMaxLength = 4096;

/// cos or sin of 2 pi k n / length for n below `in` and k below `out`,
/// [in, out].
static Value waves(Emitter &e, Type element, int64_t in, int64_t out,
                   int64_t length, bool isSine) {
  SmallVector<double> table;
  for (int64_t i = 0; i < length; ++i) {
    double angle = 2 * M_PI * double(i) / double(length);
    table.push_back(isSine ? std::sin(angle) : std::cos(angle));
  }
  SmallVector<double> values;
  for (int64_t n = 0; n < in; ++n)
    for (int64_t k = 0; k < out; ++k)
      values.push_back(table[n * k % length]);
  return e.numbers(element, values, {in, out});
}

/// The transform of the last dimension of real and imaginary parts (null: 0);
/// the result has the parts in a new last dimension.
static Value transform(Emitter &e, Value real, Value imaginary, int64_t length,
                       int64_t out, bool isInverse) {
  if (!real)
    return {};
  int64_t last = rankOf(real) - 1, in = dimOf(real, last);
  Value cosine = waves(e, elementOf(real), in, out, length, /*isSine=*/false);
  Value sine = waves(e, elementOf(real), in, out, length, /*isSine=*/true);
  auto times = [&](Value x, Value matrix) {
    return e.dot(x, matrix, {}, {}, {last}, {0});
  };
  // (a + ib)(c -+ is), minus forward.
  Value re = times(real, cosine), im = times(real, sine);
  if (!isInverse)
    im = e.unary<NegOp>(im);
  if (imaginary) {
    Value cross = times(imaginary, sine);
    re = isInverse ? e.binary<SubOp>(re, cross) : e.binary<AddOp>(re, cross);
    im = e.binary<AddOp>(im, times(imaginary, cosine));
  }
  Value parts = e.concat({e.unsqueeze(re, last + 1), e.unsqueeze(im, last + 1)},
                         last + 1);
  return isInverse ? e.binary<DivOp>(parts, double(length)) : parts;
}

/// The signal of `length` whose transform begins with these real and imaginary
/// parts; the rest mirrors them.
static Value invertOneSided(Emitter &e, Value real, Value imaginary,
                            int64_t length) {
  if (!real)
    return {};
  int64_t last = rankOf(real) - 1, in = dimOf(real, last);
  SmallVector<double> weights;
  for (int64_t k = 0; k < in; ++k)
    weights.push_back((k == 0 || 2 * k == length ? 1.0 : 2.0) / double(length));
  Value weight = e.numbers(elementOf(real), weights, {in});
  auto times = [&](Value x, bool isSine) {
    Value matrix = waves(e, elementOf(real), in, length, length, isSine);
    return e.dot(e.binary<MulOp>(x, weight), matrix, {}, {}, {last}, {0});
  };
  return e.unsqueeze(e.binary<SubOp>(times(real, /*isSine=*/false),
                                     times(imaginary, /*isSine=*/true)),
                     last + 1);
}

/// Cuts or zero-pads dimension `dim` to `length`.
static Value fitLength(Emitter &e, Value x, int64_t dim, int64_t length) {
  if (!x || dimOf(x, dim) == length)
    return x;
  if (dimOf(x, dim) > length)
    return e.slice(x, dim, 0, length);
  IntVector low(rankOf(x), 0), high(rankOf(x), 0);
  high[dim] = length - dimOf(x, dim);
  return e.pad(x, low, high);
}

void importDft(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t rank = rankOf(x);
  bool isInverse = node.flag("inverse"), isOneSided = node.flag("onesided");
  int64_t axis = 1;
  bool isMirrored = isInverse && isOneSided;
  if (node.since < 20) {
    axis = node.integer("axis", 1);
  } else if (node.has(2)) {
    auto given = node.constant(2, "axis");
    if (!given || given->size() != 1)
      return (void)node.error("needs one axis");
    axis = given->front();
  } else {
    axis = -2;
  }
  auto dim = node.checkAxis(axis, rank);
  int64_t parts = dimOf(x, rank - 1);
  if (!dim || *dim == rank - 1 || parts < 1 || parts > 2)
    return (void)node.error("transforms axis " + Twine(axis) +
                            " of a tensor of "
                            "rank " +
                            Twine(rank) + " with " + Twine(parts) + " parts");
  if (isMirrored && parts != 2)
    return (void)node.error("inverts a one-sided transform without imaginary "
                            "parts");
  int64_t length = isMirrored ? 2 * (dimOf(x, *dim) - 1) : dimOf(x, *dim);
  if (node.has(1)) {
    auto given = node.constant(1, "dft_length");
    if (!given || given->size() != 1)
      return (void)node.error("needs one dft_length");
    length = given->front();
  }
  if (length < 1 || length > kMaxLength)
    return (void)node.error("transforms " + Twine(length) + " elements; 1 to " +
                            Twine(kMaxLength) + " are supported");
  x = fitLength(e, x, *dim, isMirrored ? length / 2 + 1 : length);
  IntVector order = range(rank - 1), back = range(rank);
  std::swap(order[*dim], order.back());
  std::swap(back[*dim], back[rank - 2]);
  Value real = e.transpose(e.take(x, rank - 1, 0), order);
  Value imaginary =
      parts == 2 ? e.transpose(e.take(x, rank - 1, 1), order) : Value();
  int64_t out = isOneSided ? length / 2 + 1 : length;
  Value result = isMirrored
                     ? invertOneSided(e, real, imaginary, length)
                     : transform(e, real, imaginary, length, out, isInverse);
  node.set(e.transpose(result, back));
}

void importStft(Node &node) {
  Emitter &e = node.emit;
  Value signal = node[0], window = node[2];
  bool isOneSided = node.flag("onesided", true);
  auto step = node.constant(1, "frame_step");
  if (!step || step->size() != 1 || step->front() < 1)
    return (void)node.error("needs one frame_step of at least 1");
  int64_t length = window ? dimOf(window, 0) : 0;
  if (node.has(3)) {
    auto given = node.constant(3, "frame_length");
    if (!given || given->size() != 1)
      return (void)node.error("needs one frame_length");
    length = given->front();
  }
  int64_t total = dimOf(signal, 1);
  bool isComplex = rankOf(signal) == 3 && dimOf(signal, 2) == 2;
  if (rankOf(signal) < 2 || rankOf(signal) > 3 || length < 1 ||
      length > std::min(total, kMaxLength))
    return (void)node.error("takes frames of " + Twine(length) +
                            " of a signal of " + Twine(total) + " samples");
  int64_t frames = (total - length) / step->front() + 1;
  if (frames > kMaxTable / length)
    return (void)node.error("cuts " + Twine(frames) + " frames of " +
                            Twine(length) + " samples; at most " +
                            Twine(kMaxTable) + " samples are supported");
  IntVector positions;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(frame * step->front() + i);
  auto cut = [&](Value x) {
    Value framed = e.gather(x, e.ints(positions, {frames, length}), 1);
    return window ? e.binary<MulOp>(framed, window) : framed;
  };
  Value real = cut(rankOf(signal) == 3 ? e.take(signal, 2, 0) : signal);
  Value imaginary = isComplex ? cut(e.take(signal, 2, 1)) : Value();
  int64_t out = isOneSided ? length / 2 + 1 : length;
  node.set(transform(e, real, imaginary, length, out, /*isInverse=*/false));
}

//===----------------------------------------------------------------------===//
// Mel scale
//===----------------------------------------------------------------------===//

static double toMel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

/// Triangles over the bins of a spectrum, evenly spaced in mel; all inputs are
/// known while compiling.
void importMelWeights(Node &node) {
  Emitter &e = node.emit;
  double inputs[5];
  const char *names[] = {"num_mel_bins", "dft_length", "sample_rate",
                         "lower_edge_hertz", "upper_edge_hertz"};
  for (int i = 0; i < 5; ++i) {
    auto value = node.constantNumbers(i, names[i]);
    if (!value || value->size() != 1)
      return (void)node.error(Twine("needs one ") + names[i]);
    inputs[i] = value->front();
  }
  auto [bands, length, rate, low, high] = inputs;
  Type type = node.elementType(node.integer("output_datatype", 1));
  if (!type)
    return;
  if (!(bands >= 1 && bands <= 4096 && length >= 1 &&
        length <= double(kMaxTable) &&
        bands * (std::floor(length / 2) + 1) <= double(kMaxTable)))
    return (void)node.error(Twine("makes ") + std::to_string(bands) +
                            " bands of " + std::to_string(length) +
                            " samples; at most " + Twine(kMaxTable) +
                            " weights are supported");
  int64_t count = int64_t(bands), bins = int64_t(length) / 2 + 1;
  double lowMel = toMel(low), step = (toMel(high) - lowMel) / double(count + 2);
  IntVector edges;
  for (int64_t i = 0; i < count + 2; ++i) {
    double hertz = 700 * (std::pow(10, (lowMel + double(i) * step) / 2595) - 1);
    double edge = std::floor((length + 1) * hertz / rate);
    if (!(rate > 0 && std::abs(edge) <= double(kMaxTable)))
      return (void)node.error(
          Twine("has bands with edges of ") + std::to_string(low) + " to " +
          std::to_string(high) + " hertz at a sample_rate of " +
          std::to_string(rate));
    edges.push_back(int64_t(edge));
  }
  SmallVector<double> weights(bins * count, 0);
  auto put = [&](int64_t bin, int64_t band, double value) {
    if (bin >= 0 && bin < bins)
      weights[bin * count + band] = value;
  };
  for (int64_t band = 0; band < count; ++band) {
    int64_t left = edges[band], centre = edges[band + 1],
            right = edges[band + 2];
    if (left == centre)
      put(centre, band, 1);
    for (int64_t bin = left; bin < centre + 1 && left != centre; ++bin)
      put(bin, band, double(bin - left) / double(centre - left));
    for (int64_t bin = centre; bin < right && right != centre; ++bin)
      put(bin, band, double(right - bin) / double(right - centre));
  }
  node.set(e.numbers(type, weights, {bins, count}));
}

} // namespace smp::frontend
