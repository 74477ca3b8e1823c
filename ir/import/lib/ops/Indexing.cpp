// SPDX-License-Identifier: Apache-2.0
// Operators whose elements are chosen by data.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

void importGather(Node &node) {
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  if (!axis)
    return;
  Value indices = node.emit.normaliseIndices(node[1], dimOf(x, *axis));
  node.set(node.emit.gather(x, indices, *axis));
}

void importGatherElements(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  if (!axis)
    return;
  Value indices = e.normaliseIndices(node[1], dimOf(x, *axis));
  node.set(e.make<GatherElementsOp>({x, indices}, {e.attr("axis", *axis)}));
}

/// Index tuples into the dimensions of `x` from `batch` on, none below zero.
static Value normaliseTuples(Node &node, Value x, Value indices,
                             int64_t batch) {
  Emitter &e = node.emit;
  int64_t tuple = rankOf(indices) ? shapeOf(indices).back() : 0;
  if (tuple < 1 || batch < 0 || batch + tuple > rankOf(x))
    return node.error(
        "has index tuples of " + Twine(tuple) + " after " + Twine(batch) +
        " batch dimensions into a tensor of rank " + Twine(rankOf(x)));
  Value sizes =
      e.convert(e.ints(shapeOf(x).slice(batch, tuple)), elementOf(indices));
  return e.normaliseIndices(indices, sizes);
}

void importGatherNd(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t batch = node.integer("batch_dims");
  Value indices = normaliseTuples(node, x, node[1], batch);
  node.set(e.make<GatherNdOp>({x, indices}, {e.attr("batch_dims", batch)}));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// How updates meet what is there.
static NamedAttribute scatterKind(Node &node) {
  std::string word =
      node.word("reduction", "none", {"none", "add", "mul", "max", "min"});
  ScatterKind kind = word == "add"   ? ScatterKind::Sum
                     : word == "mul" ? ScatterKind::Prod
                     : word == "max" ? ScatterKind::Max
                     : word == "min" ? ScatterKind::Min
                                     : ScatterKind::Replace;
  return node.emit.attr(
      "kind", ScatterKindAttr::get(node.emit.builder.getContext(), kind));
}

void importScatterElements(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  NamedAttribute kind = scatterKind(node);
  if (!axis)
    return;
  Value indices = e.normaliseIndices(node[1], dimOf(x, *axis));
  node.set(e.make<ScatterElementsOp>({x, indices, node[2]},
                                     {e.attr("axis", *axis), kind}, typeOf(x)));
}

void importScatterNd(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  NamedAttribute kind = scatterKind(node);
  Value indices = normaliseTuples(node, x, node[1], 0);
  node.set(e.make<ScatterNdOp>({x, indices, node[2]}, {kind}, typeOf(x)));
}

/// A cache with an update written along an axis, from the index on that is
/// given per batch element; `circular`: what goes beyond the end starts over.
void importTensorScatter(Node &node) {
  Emitter &e = node.emit;
  Value cache = node[0], update = node[1];
  auto axis = node.axis("axis", -2, rankOf(cache));
  bool isCircular =
      node.word("mode", "linear", {"linear", "circular"}) == "circular";
  if (!axis)
    return;
  int64_t size = dimOf(cache, *axis), length = dimOf(update, *axis);
  IntVector expected(shapeOf(cache));
  expected[*axis] = length;
  if (*axis == 0 || shapeOf(update) != Ints(expected) || length > size)
    return (void)node.error(
        "has an update of shape " + text(shapeOf(update)) +
        " that does not fit its cache of shape " + text(shapeOf(cache)) +
        ": its axis is " + Twine(*axis) +
        ", which may not be 0, and along that alone an update may be shorter");
  if (!node.has(2))
    return node.set(
        e.concat({update, e.slice(cache, *axis, length, size)}, *axis));
  Value start = node[2];
  if (rankOf(start) != 1 || dimOf(start, 0) != dimOf(cache, 0))
    return (void)node.error("has write_indices of shape " +
                            text(shapeOf(start)) + "; it must be " +
                            text({dimOf(cache, 0)}));
  Ints shape = shapeOf(update);
  Value place = e.binary<AddOp>(e.iota(e.builder.getI64Type(), shape, *axis),
                                e.broadcastAlong(start, shape, 0));
  if (isCircular && size > 0)
    place = e.binary<RemOp>(place, double(size));
  NamedAttribute replace =
      e.attr("kind", ScatterKindAttr::get(e.builder.getContext(),
                                          ScatterKind::Replace));
  node.set(e.make<ScatterElementsOp>(
      {cache, place, update}, {e.attr("axis", *axis), replace}, typeOf(cache)));
}

//===----------------------------------------------------------------------===//
// Positions and order
//===----------------------------------------------------------------------===//

void importOneHot(Node &node) {
  Emitter &e = node.emit;
  Type i64 = e.builder.getI64Type();
  Value indices = e.convert(node[0], i64), values = node[2];
  auto depth = node.constantNumbers(1, "depth");
  int64_t rank = rankOf(indices) + 1;
  auto axis = node.axis("axis", -1, rank);
  if (!depth || !axis)
    return;
  if (depth->size() != 1 ||
      !(depth->front() >= 0 && depth->front() < kMaxElements) ||
      rankOf(values) != 1 || dimOf(values, 0) != 2)
    return (void)node.error("needs one depth and two values");
  int64_t size = int64_t(depth->front());
  IntVector shape(shapeOf(indices));
  shape.insert(shape.begin() + *axis, size);
  Value wanted = e.unsqueeze(e.normaliseIndices(indices, size), *axis);
  Value isHot = e.compare(Direction::EQ, e.iota(i64, shape, *axis), wanted);
  node.set(e.select(isHot, e.take(values, 0, 1), e.take(values, 0, 0)));
}

static void importTopKOf(Node &node, int64_t k, bool largest) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto axis = node.axis("axis", -1, rankOf(x));
  if (!axis)
    return;
  SmallVector<Value> results;
  e.makeMany(TopKOp::getOperationName(), x,
             {e.attr("axis", *axis), e.attr("k", k),
              e.attr("largest", e.builder.getBoolAttr(largest))},
             {}, results);
  if (results.size() != 2)
    return;
  node.set(0, results[0]);
  node.set(1, results[1]);
}

/// 1: k is an attribute.
void importTopKAttribute(Node &node) {
  importTopKOf(node, node.integer("k", 0), /*largest=*/true);
}

void importTopK(Node &node) {
  auto k = node.constant(1, "k");
  bool largest = node.flag("largest", true);
  node.flag("sorted", true); // In order is one of the orders allowed.
  if (!k)
    return;
  if (k->size() != 1)
    return (void)node.error("needs one k");
  importTopKOf(node, k->front(), largest);
}

/// Of a constant only: how many there are is a shape.
void importNonZero(Node &node) {
  Emitter &e = node.emit;
  auto values = node.constantNumbers(0, "input");
  if (!values)
    return;
  Ints shape = shapeOf(node[0]);
  int64_t rank = int64_t(shape.size());
  SmallVector<IntVector> coordinates(rank);
  for (auto [i, value] : llvm::enumerate(*values)) {
    if (value == 0)
      continue;
    int64_t rest = int64_t(i);
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      coordinates[dim].push_back(rest % shape[dim]);
      rest /= shape[dim];
    }
  }
  IntVector flat;
  for (const IntVector &row : coordinates)
    flat.append(row);
  int64_t count = rank ? int64_t(coordinates[0].size()) : 0;
  node.set(e.ints(flat, {rank, count}));
}

} // namespace smp::frontend
