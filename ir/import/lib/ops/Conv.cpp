// SPDX-License-Identifier: Apache-2.0
#include "Ops.h"
#include "Window.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static Value convolve(Emitter &e, Value x, Value filter, const Window &window,
                      int64_t groups) {
  auto attributes = windowAttributes(e, window, /*withWindow=*/false);
  attributes.push_back(e.attr("groups", groups));
  return e.make<ConvOp>({x, filter}, attributes);
}

/// Adds a vector along the features.
static Value addBias(Emitter &e, Value x, Value bias) {
  return bias && x ? e.binary<AddOp>(x, e.broadcastAlong(bias, shapeOf(x), 1))
                   : x;
}

void importConv(Node &node) {
  Value x = node[0], filter = node[1];
  auto spatial = spatialOf(node, x);
  if (!spatial)
    return;
  if (rankOf(filter) != rankOf(x))
    return (void)node.error("has weights of rank " + Twine(rankOf(filter)) +
                            " for an input of rank " + Twine(rankOf(x)));
  auto window =
      readWindow(node, *spatial, IntVector(shapeOf(filter).drop_front(2)));
  int64_t groups = node.integer("group", 1);
  if (window)
    node.set(addBias(node.emit, convolve(node.emit, x, filter, *window, groups),
                     node[2]));
}

/// A convolution of each feature by itself, over a sequence that goes on from
/// what an earlier step has kept: its last elements.
void importCausalConv(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], filter = node[1];
  std::string activation =
      node.word("activation", "none", {"none", "silu", "swish"});
  int64_t features = dimOf(x, 1), size = dimOf(filter, 2);
  if (rankOf(x) != 3 || shapeOf(filter) != Ints({features, 1, size}) ||
      size < 1)
    return (void)node.error("has weights that are no [" + Twine(features) +
                            ", 1, size] for its input");
  IntVector kept{dimOf(x, 0), features, size - 1};
  Value past = node.has(3)
                   ? node[3]
                   : e.splat(RankedTensorType::get(kept, elementOf(x)), 0);
  if (shapeOf(past) != Ints(kept))
    return (void)node.error("has a past_state of another shape than [" +
                            Twine(kept[0]) + ", " + Twine(kept[1]) + ", " +
                            Twine(kept[2]) + "]");
  Value all = e.concat({past, x}, 2);
  Window window{{size}, {1}, {1}, {0}, {0}, {0}};
  Value y = addBias(e, convolve(e, all, filter, window, features), node[2]);
  if (activation != "none" && y) {
    Type own = elementOf(y);
    y = e.convert(y, e.accurate(own));
    y = e.convert(e.binary<MulOp>(y, e.unary<SigmoidOp>(y)), own);
  }
  node.set(0, y);
  node.set(1, e.slice(all, 2, dimOf(all, 2) - (size - 1), dimOf(all, 2)));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// The filter as a convolution over the spread-out input takes it: mirrored,
/// [out features, in features / groups, spatial...].
static Value mirrorFilter(Emitter &e, Value filter, int64_t groups) {
  IntVector shape(shapeOf(filter)), spatial;
  int64_t rank = int64_t(shape.size()), out = shape[1], in = shape[0] / groups;
  for (int64_t dim = 2; dim < rank; ++dim)
    spatial.push_back(dim);
  Value mirrored = e.reverse(filter, spatial);
  IntVector split{groups, in, out}, order{0, 2, 1}, joined{groups * out, in};
  for (int64_t dim = 2; dim < rank; ++dim) {
    split.push_back(shape[dim]);
    order.push_back(dim + 1);
    joined.push_back(shape[dim]);
  }
  return e.reshape(e.transpose(e.reshape(mirrored, split), order), joined);
}

/// Replaces the window's pads by those that give `size` elements where
/// output_shape or auto_pad ask for it.
static bool fitOutput(Node &node, Ints spatial, Ints more, Window &window) {
  auto shape = node.integers("output_shape");
  std::string mode = node.word("auto_pad", "NOTSET",
                               {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!shape && !isSame)
    return !node.failed();
  if (shape && shape->size() != spatial.size()) {
    node.error("has an output_shape of " + Twine(shape->size()) +
               " sizes for " + Twine(spatial.size()) + " spatial dimensions");
    return false;
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    int64_t size = shape ? (*shape)[i] : spatial[i] * window.strides[i];
    int64_t full =
        (spatial[i] - 1) * window.strides[i] + more[i] + window.reach(i);
    int64_t total = full - size, small = total / 2;
    window.low[i] = total < 0 ? 0 // What is missing lies at the end.
                    : mode == "SAME_UPPER" ? small
                                           : total - small;
    window.high[i] = total - window.low[i];
  }
  return true;
}

/// A transposed convolution is a convolution of the input, spread out by the
/// strides, with the mirrored filter.
void importConvTranspose(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], filter = node[1];
  auto spatial = spatialOf(node, x);
  if (!spatial)
    return;
  int64_t groups = node.integer("group", 1);
  if (rankOf(filter) != rankOf(x) || groups < 1 ||
      dimOf(filter, 0) != dimOf(x, 1) || dimOf(filter, 0) % groups)
    return (void)node.error("has weights for " + Twine(dimOf(filter, 0)) +
                            " features in " + Twine(groups) + " groups and " +
                            Twine(dimOf(x, 1)) + " input features");
  auto window =
      readWindow(node, *spatial, IntVector(shapeOf(filter).drop_front(2)));
  auto more = node.integers("output_padding");
  if (!more)
    more = IntVector(spatial->size(), 0);
  if (!window || more->size() != spatial->size() ||
      !fitOutput(node, *spatial, *more, *window))
    return (void)node.error("has window attributes of the wrong length");
  IntVector low(2, 0), high(2, 0), interior(2, 0);
  for (size_t i = 0; i < spatial->size(); ++i) {
    low.push_back(window->reach(i) - 1 - window->low[i]);
    high.push_back(window->reach(i) - 1 - window->high[i] + (*more)[i]);
    interior.push_back(window->strides[i] - 1);
  }
  Value spread = e.pad(x, low, high, {}, PadMode::Constant, interior);
  Window plain = *window;
  plain.strides.assign(spatial->size(), 1);
  plain.low = plain.high = IntVector(spatial->size(), 0);
  Value mirrored = mirrorFilter(e, filter, groups);
  node.set(addBias(e, convolve(e, spread, mirrored, plain, groups), node[2]));
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// Positions in one block above which they are refused: each costs ops.
static constexpr int64_t kMaxBlockPositions = 1024;

/// Where blocks of `x` [batch, features, positions in a block, blocks...] with
/// element `position` lie in an image of `size`: zeros elsewhere.
static Value spreadBlocks(Emitter &e, Value x, const Window &window, Ints image,
                          int64_t position) {
  Value part = e.take(x, 2, position);
  IntVector low(2, 0), high(2, 0), interior(2, 0);
  int64_t below = 1;
  for (int64_t size : window.kernel)
    below *= size;
  for (auto [i, size] : llvm::enumerate(image)) {
    below /= window.kernel[i];
    int64_t start = position / below % window.kernel[i] * window.dilations[i] -
                    window.low[i];
    int64_t reach = (dimOf(x, int64_t(i) + 3) - 1) * window.strides[i] + 1;
    interior.push_back(window.strides[i] - 1);
    low.push_back(start);
    high.push_back(size - start - reach);
  }
  return e.pad(part, low, high, {}, PadMode::Constant, interior);
}

/// The sum of all blocks of an image, each where it was cut from.
void importCol2Im(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto image = node.constant(1, "image_shape");
  auto block = image ? node.constant(2, "block_shape") : std::nullopt;
  if (!block)
    return;
  for (int64_t size : *block)
    if (size < 1 || size > kMaxBlockPositions)
      return (void)node.error("has blocks of size " + Twine(size));
  for (int64_t size : *image)
    if (size < 1 || size > kMaxElements)
      return (void)node.error("makes an image of size " + Twine(size));
  auto window = readWindow(node, *image, *block);
  if (!window)
    return;
  double positions = 1, blocks = 1;
  IntVector split{dimOf(x, 0), 1, 1};
  for (auto [i, size] : llvm::enumerate(*image)) {
    int64_t room = size + window->low[i] + window->high[i] - window->reach(i);
    if (room < 0)
      return (void)node.error("joins blocks of size " + Twine((*block)[i]) +
                              " to an image of size " + Twine(size));
    split.push_back(room / window->strides[i] + 1);
    positions *= double((*block)[i]);
    blocks *= double(split.back());
  }
  if (positions > double(kMaxBlockPositions))
    return (void)node.error("has blocks of more than " +
                            Twine(kMaxBlockPositions) + " elements");
  split[2] = int64_t(positions);
  split[1] = dimOf(x, 1) / split[2];
  if (rankOf(x) != 3 || dimOf(x, 1) % split[2] || double(dimOf(x, 2)) != blocks)
    return (void)node.error("has columns that do not fit its blocks");
  Value columns = e.reshape(x, split), sum;
  for (int64_t position = 0; position < split[2]; ++position) {
    Value part = spreadBlocks(e, columns, *window, *image, position);
    sum = sum ? e.binary<AddOp>(sum, part) : part;
  }
  node.set(sum);
}

} // namespace smp::frontend
