// SPDX-License-Identifier: Apache-2.0
// Operators that give elements another shape or order.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static int64_t product(Ints sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

void importIdentity(Node &node) {
  if (node.isSequence(0))
    node.setSequence(*node.sequence(0));
  else
    node.set(node[0]);
}

/// Inference passes everything on; the mask says so.
void importDropout(Node &node) {
  Emitter &e = node.emit;
  node.ignore("ratio");
  node.ignore("seed");
  Value x = node[0];
  if (node.has(2)) {
    auto training = node.constant(2, "training_mode");
    if (!training)
      return;
    bool isTraining = llvm::is_contained(*training, 1), keepsAll = false;
    if (isTraining && node.has(1)) {
      auto ratio = node.constantNumbers(1, "ratio");
      if (!ratio)
        return;
      keepsAll = ratio->size() == 1 && ratio->front() == 0;
    }
    if (isTraining && !keepsAll)
      return (void)node.error(
          "drops at random (training_mode); export the model "
          "for inference");
  }
  node.set(0, x);
  Type mask = node.since < 10 ? elementOf(x) : e.builder.getI1Type();
  if (node.wants(1))
    node.set(1, e.splat(RankedTensorType::get(shapeOf(x), mask), 1));
}

void importReshape(Node &node) {
  Value x = node[0];
  auto shape = node.sizes(1, "shape");
  bool allowZero = node.flag("allowzero");
  if (!shape)
    return;
  int64_t known = 1, inferred = -1;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !allowZero) {
      if (int64_t(i) >= rankOf(x))
        return (void)node.error("copies dimension " + Twine(i) +
                                " of a tensor of rank " + Twine(rankOf(x)));
      size = dimOf(x, int64_t(i));
    }
    if (size == -1 && inferred < 0)
      inferred = int64_t(i);
    else if (size < 0 || size > kMaxElements)
      return (void)node.error("has the size " + Twine(size) + " in its shape");
    else if (__builtin_mul_overflow(known, size, &known))
      return (void)node.error("has a shape with too many elements");
  }
  int64_t count = typeOf(x).getNumElements();
  if (inferred >= 0) {
    if (known == 0 || count % known)
      return (void)node.error("cannot split " + Twine(count) +
                              " elements by the " + Twine(known) +
                              " of the other dimensions");
    (*shape)[inferred] = count / known;
  }
  node.set(node.emit.reshape(x, *shape));
}

void importFlatten(Node &node) {
  Value x = node[0];
  int64_t rank = rankOf(x), axis = fromEnd(node.integer("axis", 1), rank);
  if (axis < 0 || axis > rank)
    return (void)node.error("splits at axis " + Twine(axis) +
                            " of a tensor of rank " + Twine(rank));
  Ints shape = shapeOf(x);
  node.set(node.emit.reshape(
      x, {product(shape.take_front(axis)), product(shape.drop_front(axis))}));
}

void importSqueeze(Node &node) {
  Value x = node[0];
  auto axes = node.integersOrInput("axes", 1);
  if (node.failed())
    return;
  IntVector dims;
  if (axes) {
    auto checked = node.checkAxes(*axes, rankOf(x));
    if (!checked)
      return;
    dims = *checked;
  }
  IntVector shape;
  for (auto [i, size] : llvm::enumerate(shapeOf(x))) {
    bool drop = axes ? llvm::is_contained(dims, int64_t(i)) : size == 1;
    if (drop && size != 1)
      return (void)node.error("drops dimension " + Twine(i) + " of size " +
                              Twine(size));
    if (!drop)
      shape.push_back(size);
  }
  node.set(node.emit.reshape(x, shape));
}

void importUnsqueeze(Node &node) {
  Value x = node[0];
  auto axes = node.integersOrInput("axes", 1);
  if (!axes)
    return (void)node.error("names no axes");
  int64_t rank = rankOf(x) + int64_t(axes->size());
  if (rank > kMaxRank)
    return (void)node.error("makes a tensor of rank " + Twine(rank));
  auto dims = node.checkAxes(*axes, rank);
  if (!dims)
    return;
  IntVector shape(shapeOf(x));
  for (int64_t dim : *dims)
    shape.insert(shape.begin() + dim, 1);
  node.set(node.emit.reshape(x, shape));
}

void importTranspose(Node &node) {
  IntVector permutation = range(rankOf(node[0]));
  std::reverse(permutation.begin(), permutation.end());
  auto given = node.integers("perm");
  node.set(node.emit.transpose(node[0], given ? *given : permutation));
}

/// Broadcasts both ways: a 1 in the shape keeps the input's size.
void importExpand(Node &node) {
  Value x = node[0];
  auto shape = node.sizes(1, "shape");
  if (!shape)
    return;
  auto common = broadcastShapes(shapeOf(x), *shape);
  if (!common)
    return (void)node.error("cannot broadcast its input of shape " +
                            text(shapeOf(x)) + " to " + text(*shape));
  node.set(node.emit.broadcastTo(x, *common));
}

void importTile(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto repeats = node.sizes(1, "repeats");
  if (!repeats)
    return;
  if (int64_t(repeats->size()) != rankOf(x))
    return (void)node.error("has " + Twine(repeats->size()) +
                            " repeats for a tensor of rank " +
                            Twine(rankOf(x)));
  IntVector dims, stretched, result;
  for (auto [i, size] : llvm::enumerate(shapeOf(x))) {
    int64_t total;
    if ((*repeats)[i] < 0 ||
        __builtin_mul_overflow(size, (*repeats)[i], &total))
      return (void)node.error("repeats dimension " + Twine(i) + " " +
                              Twine((*repeats)[i]) + " times");
    dims.push_back(int64_t(stretched.size()) + 1);
    stretched.append({(*repeats)[i], size});
    result.push_back(total);
  }
  if (2 * rankOf(x) > kMaxRank)
    return (void)node.error("repeats a tensor of rank " + Twine(rankOf(x)));
  Value wide = e.make<BroadcastOp>(x, {e.attr("dimensions", dims)},
                                   typeOf(x).clone(stretched));
  node.set(e.reshape(wide, result));
}

//===----------------------------------------------------------------------===//
// Space and depth
//===----------------------------------------------------------------------===//

/// The block size, when it divides what it must; else nothing and an error.
static std::optional<int64_t> blockSize(Node &node, bool dividesDepth) {
  int64_t block = node.integer("blocksize", 0);
  Value x = node[0];
  if (rankOf(x) != 4 || block < 1 || block > 65536) {
    node.error("rearranges a tensor of rank " + Twine(rankOf(x)) +
               " by blocks of " + Twine(block) +
               "; it takes rank 4 and blocks of "
               "at least 1");
    return std::nullopt;
  }
  bool fits = dividesDepth
                  ? dimOf(x, 1) % (block * block) == 0
                  : dimOf(x, 2) % block == 0 && dimOf(x, 3) % block == 0;
  if (fits)
    return block;
  node.error("cannot cut its input into blocks of " + Twine(block));
  return std::nullopt;
}

void importDepthToSpace(Node &node) {
  Emitter &e = node.emit;
  auto block = blockSize(node, /*dividesDepth=*/true);
  bool isDcr = node.word("mode", "DCR", {"DCR", "CRD"}) == "DCR";
  if (!block)
    return;
  Ints s = shapeOf(node[0]);
  int64_t b = *block, depth = s[1] / (b * b);
  IntVector split = isDcr ? IntVector{s[0], b, b, depth, s[2], s[3]}
                          : IntVector{s[0], depth, b, b, s[2], s[3]};
  IntVector order =
      isDcr ? IntVector{0, 3, 4, 1, 5, 2} : IntVector{0, 1, 4, 2, 5, 3};
  Value moved = e.transpose(e.reshape(node[0], split), order);
  node.set(e.reshape(moved, {s[0], depth, s[2] * b, s[3] * b}));
}

void importSpaceToDepth(Node &node) {
  Emitter &e = node.emit;
  auto block = blockSize(node, /*dividesDepth=*/false);
  bool isDcr =
      node.since < 28 || node.word("mode", "DCR", {"DCR", "CRD"}) == "DCR";
  if (!block)
    return;
  Ints s = shapeOf(node[0]);
  int64_t b = *block;
  Value split = e.reshape(node[0], {s[0], s[1], s[2] / b, b, s[3] / b, b});
  Value moved = e.transpose(split, isDcr ? Ints({0, 3, 5, 1, 2, 4})
                                         : Ints({0, 1, 3, 5, 2, 4}));
  node.set(e.reshape(moved, {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

} // namespace smp::frontend
