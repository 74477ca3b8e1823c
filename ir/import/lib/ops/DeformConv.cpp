// SPDX-License-Identifier: Apache-2.0
// Convolutions that take each element from a place of its own.

#include "Ops.h"
#include "Sampling.h"
#include "Window.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

namespace {
class DeformConv {
public:
  explicit DeformConv(Node &node) : node(node), e(node.emit) {}
  void run();

private:
  bool read();
  Value positions(int64_t dim);
  Value sample();
  Value multiply(Value sampled);

  Node &node;
  Emitter &e;
  Value x, filter, offset;
  std::optional<Window> window;
  IntVector out; ///< Spatial sizes of the result.
  int64_t batch = 0, features = 0, groups = 1, offsetGroups = 1;
  int64_t taps = 1, points = 1; ///< Of the filter, of the result.
};
} // namespace

bool DeformConv::read() {
  x = node[0], filter = node[1], offset = node[2];
  groups = node.integer("group", 1);
  offsetGroups = node.integer("offset_group", 1);
  auto spatial = spatialOf(node, x);
  if (!spatial)
    return false;
  if (rankOf(filter) != rankOf(x) || rankOf(offset) != rankOf(x)) {
    node.error("has weights or offsets of another rank than its input");
    return false;
  }
  window = readWindow(node, *spatial, IntVector(shapeOf(filter).drop_front(2)));
  if (!window)
    return false;
  batch = dimOf(x, 0), features = dimOf(x, 1);
  out.assign(shapeOf(offset).begin() + 2, shapeOf(offset).end());
  bool fits = groups >= 1 && offsetGroups >= 1 && features % groups == 0 &&
              features % offsetGroups == 0 &&
              dimOf(filter, 1) == features / groups &&
              dimOf(filter, 0) % groups == 0 && dimOf(offset, 0) == batch;
  for (size_t i = 0; i < spatial->size(); ++i) {
    int64_t room =
        (*spatial)[i] + window->low[i] + window->high[i] - window->reach(i);
    fits = fits && (*spatial)[i] > 0 && room >= 0 &&
           out[i] == room / window->strides[i] + 1;
    taps *= window->kernel[i];
    points *= out[i];
  }
  int64_t perTap = offsetGroups * taps;
  fits = fits && dimOf(offset, 1) == perTap * int64_t(spatial->size());
  if (node.has(4)) {
    IntVector mask(shapeOf(offset));
    mask[1] = perTap;
    fits = fits && shapeOf(node[4]) == Ints(mask);
  }
  if (!fits)
    node.error("has weights, offsets or a mask that do not fit its input");
  return fits;
}

/// Where the elements of each tap and point lie in spatial dimension `dim`,
/// [batch * offset groups, taps * points].
Value DeformConv::positions(int64_t dim) {
  Type element = elementOf(x);
  Value point =
      e.binary<MulOp>(e.iota(element, out, dim), double(window->strides[dim]));
  point =
      e.reshape(e.binary<SubOp>(point, double(window->low[dim])), {1, points});
  Value tap = e.binary<MulOp>(e.iota(element, window->kernel, dim),
                              double(window->dilations[dim]));
  Value regular = e.binary<AddOp>(e.reshape(tap, {taps, 1}), point);
  int64_t rank = int64_t(out.size());
  Value moved = e.take(
      e.reshape(offset, {batch * offsetGroups, taps, rank, points}), 2, dim);
  return e.reshape(e.binary<AddOp>(moved, regular),
                   {batch * offsetGroups, taps * points});
}

/// [batch, features, taps, points].
Value DeformConv::sample() {
  IntVector grouped{batch * offsetGroups, features / offsetGroups};
  grouped.append(shapeOf(x).begin() + 2, shapeOf(x).end());
  SmallVector<SmallVector<Tap>> taken;
  for (int64_t dim = 0; dim < int64_t(out.size()); ++dim)
    taken.push_back(linearTaps(e, positions(dim), dimOf(x, dim + 2)));
  Value sampled = combineTaps(e, e.reshape(x, grouped), taken);
  if (node.has(4))
    sampled = e.binary<MulOp>(
        sampled, e.reshape(node[4], {batch * offsetGroups, taps * points, 1}));
  sampled = e.reshape(
      sampled, {batch, offsetGroups, taps, points, features / offsetGroups});
  return e.reshape(e.transpose(sampled, {0, 1, 4, 2, 3}),
                   {batch, features, taps, points});
}

/// The products with the filter, [batch, result features, spatial...].
Value DeformConv::multiply(Value sampled) {
  int64_t perGroup = features / groups, made = dimOf(filter, 0);
  Value weights = e.reshape(filter, {groups, made / groups, perGroup, taps});
  Value columns = e.reshape(sampled, {batch, groups, perGroup, taps, points});
  Value product = e.dot(weights, columns, {0}, {1}, {2, 3}, {2, 3});
  IntVector shape{batch, made};
  shape.append(out);
  return e.reshape(e.transpose(product, {2, 0, 1, 3}), shape);
}

void DeformConv::run() {
  if (!read())
    return;
  Value result = multiply(sample());
  Value bias = node[3];
  if (bias && result)
    result =
        e.binary<AddOp>(result, e.broadcastAlong(bias, shapeOf(result), 1));
  node.set(result);
}

void importDeformConv(Node &node) { DeformConv(node).run(); }

} // namespace smp::frontend
