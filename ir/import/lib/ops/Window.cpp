// SPDX-License-Identifier: Apache-2.0
#include "Window.h"

using namespace mlir;

namespace smp::frontend {

std::optional<Ints> spatialOf(Node &node, Value x) {
  if (rankOf(x) >= 3)
    return shapeOf(x).drop_front(2);
  node.error("takes [batch, features, spatial...], not a tensor of rank " +
             Twine(rankOf(x)));
  return std::nullopt;
}

/// A list attribute with one item >= `least` per dimension, or all `fallback`.
static bool readList(Node &node, StringRef name, size_t rank, int64_t least,
                     int64_t fallback, IntVector &list) {
  auto given = node.integers(name);
  list = given ? *given : IntVector(rank, fallback);
  if (node.failed())
    return false;
  for (int64_t item : list)
    if (item < least) {
      node.error("attribute '" + name + "' holds " + Twine(item) +
                 "; items must be at least " + Twine(least));
      return false;
    }
  if (list.size() == rank)
    return true;
  node.error("attribute '" + name + "' has " + Twine(list.size()) +
             " items; it needs " + Twine(rank));
  return false;
}

/// Pads so that the result has ceil(size / stride) elements.
static void padToSame(Window &window, Ints spatial, bool isUpper) {
  for (size_t i = 0; i < spatial.size(); ++i) {
    int64_t stride = window.strides[i];
    int64_t out = (spatial[i] + stride - 1) / stride;
    int64_t total =
        std::max<int64_t>((out - 1) * stride + window.reach(i) - spatial[i], 0);
    int64_t small = total / 2;
    window.low[i] = isUpper ? small : total - small;
    window.high[i] = total - window.low[i];
  }
}

/// Pads further where the last window would reach beyond the padded input but
/// starts inside the input or its low padding.
static void roundUp(Window &window, Ints spatial) {
  for (size_t i = 0; i < spatial.size(); ++i) {
    int64_t stride = window.strides[i];
    int64_t rest =
        spatial[i] + window.low[i] + window.high[i] - window.reach(i);
    if (rest < 0 || rest % stride == 0)
      continue;
    int64_t start = (rest / stride + 1) * stride;
    if (start >= spatial[i] + window.low[i])
      continue;
    window.extra[i] = stride - rest % stride;
    window.high[i] += window.extra[i];
  }
}

std::optional<Window> readWindow(Node &node, Ints spatial,
                                 std::optional<IntVector> kernel) {
  Window window;
  size_t rank = spatial.size();
  auto shape = node.integers("kernel_shape");
  if (kernel && shape && *shape != *kernel) {
    node.error("attribute 'kernel_shape' is not the shape of the weights");
    return std::nullopt;
  }
  if (!kernel && !shape) {
    node.error("has no kernel_shape");
    return std::nullopt;
  }
  window.kernel = kernel ? *kernel : *shape;
  IntVector pads;
  if (!readList(node, "strides", rank, 1, 1, window.strides) ||
      !readList(node, "dilations", rank, 1, 1, window.dilations) ||
      !readList(node, "pads", 2 * rank, INT64_MIN, 0, pads))
    return std::nullopt;
  if (window.kernel.size() != rank ||
      llvm::any_of(window.kernel, [](int64_t size) { return size < 1; })) {
    node.error("has a window of other dimensions than its input");
    return std::nullopt;
  }
  window.low.assign(pads.begin(), pads.begin() + rank);
  window.high.assign(pads.begin() + rank, pads.end());
  window.extra.assign(rank, 0);
  std::string mode = node.word("auto_pad", "NOTSET",
                               {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  if (mode == "VALID")
    window.low = window.high = IntVector(rank, 0);
  else if (mode != "NOTSET")
    padToSame(window, spatial, mode == "SAME_UPPER");
  if (node.flag("ceil_mode"))
    roundUp(window, spatial);
  return window;
}

SmallVector<NamedAttribute>
windowAttributes(Emitter &emit, const Window &window, bool withWindow) {
  SmallVector<NamedAttribute> attributes{
      emit.attr("strides", window.strides), emit.attr("low", window.low),
      emit.attr("high", window.high), emit.attr("dilations", window.dilations)};
  if (withWindow)
    attributes.push_back(emit.attr("window", window.kernel));
  return attributes;
}

} // namespace smp::frontend
