// SPDX-License-Identifier: Apache-2.0
// Operators that take tensors apart, join them and pad them.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

void importConcat(Node &node) {
  auto axis = node.axis("axis", node.since < 4 ? 1 : 0, rankOf(node[0]));
  if (!node.hasAttr("axis"))
    return (void)node.error("has no axis");
  if (axis)
    node.set(node.emit.concat(node.inputs(), *axis));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Sizes of equal parts: before 18 they must be equal, since then the last may
/// be smaller.
static std::optional<IntVector> equalParts(Node &node, int64_t size) {
  int64_t count = node.numOutputs();
  if (node.hasAttr("num_outputs"))
    count = node.integer("num_outputs");
  if (count < 1 || count != node.numOutputs() ||
      (node.since < 18 && size % count)) {
    node.error("splits " + Twine(size) + " elements into " + Twine(count) +
               " parts for " + Twine(node.numOutputs()) + " outputs");
    return std::nullopt;
  }
  int64_t chunk = (size + count - 1) / count;
  IntVector sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(std::clamp<int64_t>(size - i * chunk, 0, chunk));
  return sizes;
}

void importSplit(Node &node) {
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  if (!axis)
    return;
  int64_t size = dimOf(x, *axis);
  auto sizes = node.integersOrInput("split", 1);
  if (!sizes && !node.failed())
    sizes = equalParts(node, size);
  if (!sizes)
    return;
  int64_t start = 0;
  if (int64_t(sizes->size()) != node.numOutputs())
    return (void)node.error("has " + Twine(sizes->size()) + " sizes for " +
                            Twine(node.numOutputs()) + " outputs");
  for (auto [i, part] : llvm::enumerate(*sizes)) {
    if (part < 0 || part > size - start)
      return (void)node.error(
          "splits the " + Twine(size) + " elements of dimension " +
          Twine(*axis) + " of its input: part " + Twine(i) + " takes " +
          Twine(part) + " of the remaining " + Twine(size - start));
    node.set(int64_t(i), node.emit.slice(x, *axis, start, start + part));
    start += part;
  }
  if (start != size)
    node.error("splits " + Twine(start) + " of " + Twine(size) + " elements");
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Python's slice start:end:step of dimension `dim`.
static Value sliceAsPython(Emitter &e, Value x, int64_t dim, int64_t start,
                           int64_t end, int64_t step) {
  int64_t size = dimOf(x, dim);
  start = fromEnd(start, size);
  end = fromEnd(end, size);
  if (step < 0) { // Slice the reversed tensor, whose element i is size - 1 - i.
    x = e.reverse(x, {dim});
    start = size - 1 - std::clamp<int64_t>(start, -1, size - 1);
    end = size - 1 - std::clamp<int64_t>(end, -1, size - 1);
    step = -step;
  }
  start = std::clamp<int64_t>(start, 0, size);
  end = std::clamp<int64_t>(end, start, size);
  return e.slice(x, dim, start, end, step);
}

static void importSliceOf(Node &node, std::optional<IntVector> starts,
                          std::optional<IntVector> ends,
                          std::optional<IntVector> axes,
                          std::optional<IntVector> steps) {
  if (!starts || !ends)
    return (void)node.error("has no starts or no ends");
  Value x = node[0];
  size_t count = starts->size();
  if (!axes)
    axes = range(int64_t(count));
  if (!steps)
    steps = IntVector(count, 1);
  if (ends->size() != count || axes->size() != count || steps->size() != count)
    return (void)node.error(
        "has " + Twine(count) +
        " starts and another number of ends, axes or steps");
  auto checked = node.checkAxes(*axes, rankOf(x));
  if (!checked)
    return;
  for (size_t i = 0; i < count; ++i) {
    int64_t step = std::clamp((*steps)[i], -kMaxElements, kMaxElements);
    if (step == 0)
      return (void)node.error("has a step of 0");
    x = sliceAsPython(node.emit, x, fromEnd((*axes)[i], rankOf(x)),
                      (*starts)[i], (*ends)[i], step);
    if (!x)
      return;
  }
  node.set(x);
}

/// 1: everything is an attribute.
void importSliceAttributes(Node &node) {
  auto starts = node.integers("starts", /*saturate=*/true);
  auto ends = node.integers("ends", /*saturate=*/true);
  importSliceOf(node, starts, ends, node.integers("axes"), std::nullopt);
}

void importSlice(Node &node) {
  std::optional<IntVector> axes, steps;
  auto starts = node.constant(1, "starts");
  auto ends = starts ? node.constant(2, "ends") : std::nullopt;
  if (ends && node.has(3) && !(axes = node.constant(3, "axes")))
    return;
  if (ends && node.has(4) && !(steps = node.constant(4, "steps")))
    return;
  if (ends)
    importSliceOf(node, starts, ends, axes, steps);
}

void importCompress(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto condition = node.constant(1, "condition");
  bool hasAxis = node.hasAttr("axis");
  std::optional<int64_t> axis = 0;
  if (hasAxis)
    axis = node.axis("axis", 0, rankOf(x));
  if (!condition || !axis)
    return;
  if (!hasAxis)
    x = e.reshape(x, {typeOf(x).getNumElements()});
  IntVector kept;
  for (auto [i, isKept] : llvm::enumerate(*condition))
    if (isKept)
      kept.push_back(int64_t(i));
  if (!kept.empty() && kept.back() >= dimOf(x, *axis))
    return (void)node.error("keeps element " + Twine(kept.back()) + " of " +
                            Twine(dimOf(x, *axis)));
  node.set(e.gather(x, e.ints(kept), *axis));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

static void importPadOf(Node &node, std::optional<IntVector> pads, Value value,
                        std::optional<IntVector> axes) {
  Value x = node[0];
  std::string mode =
      node.word("mode", "constant", {"constant", "reflect", "edge", "wrap"});
  if (!pads)
    return (void)node.error("has no pads");
  int64_t rank = rankOf(x);
  if (!axes)
    axes = range(rank);
  auto checked = node.checkAxes(*axes, rank);
  size_t count = axes->size();
  if (!checked)
    return;
  if (pads->size() != 2 * count)
    return (void)node.error("has " + Twine(pads->size()) + " pads for " +
                            Twine(count) + " dimensions");
  IntVector low(rank, 0), high(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = fromEnd((*axes)[i], rank);
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[count + i];
    if (std::abs(low[axis]) > kMaxElements ||
        std::abs(high[axis]) > kMaxElements)
      return (void)node.error("pads dimension " + Twine(axis) + " by " +
                              Twine(low[axis]) + " and " + Twine(high[axis]));
  }
  node.set(node.emit.pad(x, low, high, value, *symbolizePadMode(mode)));
}

/// 2: pads and the value are attributes.
void importPadAttributes(Node &node) {
  Value value = node.emit.scalar(elementOf(node[0]), node.number("value"));
  importPadOf(node, node.integers("pads"), value, std::nullopt);
}

void importPad(Node &node) {
  auto pads = node.constant(1, "pads");
  std::optional<IntVector> axes;
  if (!pads || (node.has(3) && !(axes = node.constant(3, "axes"))))
    return;
  Value value = node[2];
  if (value && typeOf(value).getNumElements() != 1)
    return (void)node.error("pads with more than one value");
  importPadOf(node, pads, value ? node.emit.reshape(value, {}) : Value(), axes);
}

void importCenterCropPad(Node &node) {
  Value x = node[0];
  auto shape = node.sizes(1, "shape");
  auto axes = node.integers("axes");
  if (!shape)
    return;
  if (!axes)
    axes = range(rankOf(x));
  auto checked = node.checkAxes(*axes, rankOf(x));
  if (!checked || axes->size() != shape->size())
    return (void)node.error("has " + Twine(shape->size()) + " sizes for " +
                            Twine(axes->size()) + " axes");
  IntVector low(rankOf(x), 0), high(rankOf(x), 0);
  for (auto [axis, size] : llvm::zip(*axes, *shape)) {
    if (size < 0 || size > kMaxElements)
      return (void)node.error("makes a dimension of size " + Twine(size));
    int64_t dim = fromEnd(axis, rankOf(x)), more = size - dimOf(x, dim);
    // A crop starts at floor(-more / 2), a pad is floor(more / 2) before.
    low[dim] = more < 0 ? -(-more / 2) : more / 2;
    high[dim] = more - low[dim];
  }
  node.set(node.emit.pad(x, low, high));
}

//===----------------------------------------------------------------------===//
// By position
//===----------------------------------------------------------------------===//

void importTrilu(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t rank = rankOf(x);
  bool isUpper = node.flag("upper", true);
  if (rank < 2)
    return (void)node.error("takes matrices, not a tensor of rank " +
                            Twine(rank));
  Type i64 = e.builder.getI64Type();
  Ints matrix = shapeOf(x).take_back(2);
  Value row = e.iota(i64, matrix, 0), column = e.iota(i64, matrix, 1);
  if (Value k = node[1])
    row = e.binary<AddOp>(row, e.reshape(k, {}));
  Value kept = e.compare(isUpper ? Direction::GE : Direction::LE, column, row);
  node.set(e.select(kept, x, e.splat(typeOf(x), 0)));
}

void importReverseSequence(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], lengths = node[1];
  int64_t batch = node.integer("batch_axis", 1),
          time = node.integer("time_axis", 0);
  if (rankOf(x) < 2 || batch + time != 1 || batch * time != 0)
    return (void)node.error("needs batch and time axes 0 and 1 of a tensor of "
                            "rank 2 or more");
  Ints plane = shapeOf(x).take_front(2);
  Value t = e.iota(elementOf(lengths), plane, time);
  Value length = e.broadcastAlong(lengths, plane, batch);
  Value mirrored = e.binary<SubOp>(e.binary<SubOp>(length, 1.0), t);
  Value index = e.select(e.compare(Direction::LT, t, length), mirrored, t);
  Value wide = index
                   ? e.make<BroadcastOp>(index, {e.attr("dimensions", {0, 1})},
                                         typeOf(index).clone(shapeOf(x)))
                   : Value();
  node.set(e.make<GatherElementsOp>({x, wide}, {e.attr("axis", time)}));
}

} // namespace smp::frontend
