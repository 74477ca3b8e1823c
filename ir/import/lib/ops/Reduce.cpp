// SPDX-License-Identifier: Apache-2.0
// Reductions, positions of extremes, softmax, running sums and products.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

namespace {
/// What a Reduce operator reduces.
struct Reduction {
  Value x;
  IntVector dims;
  bool keepDims = true;
  bool isNoop = false;
};
} // namespace

/// Axes are an attribute, later input 1; without any, all dimensions are meant
/// unless `noop_with_empty_axes` says none.
static std::optional<Reduction> readReduction(Node &node) {
  Reduction reduction{node[0], {}, node.flag("keepdims", true), false};
  bool noop = node.flag("noop_with_empty_axes");
  int64_t rank = rankOf(reduction.x);
  auto axes = node.integersOrInput("axes", 1);
  if (node.failed())
    return std::nullopt;
  if (!axes || axes->empty()) {
    reduction.isNoop = noop;
    reduction.dims = range(rank);
    return reduction;
  }
  auto checked = node.checkAxes(*axes, rank);
  if (!checked)
    return std::nullopt;
  reduction.dims = *checked;
  return reduction;
}

/// Sets the node's result to `build(reduction)`.
template <typename Build>
static void importReduction(Node &node, Build build) {
  auto reduction = readReduction(node);
  if (!reduction)
    return;
  if (reduction->isNoop)
    reduction->dims.clear();
  node.set(build(node.emit, *reduction));
}

static Value reduce(Emitter &e, ReduceKind kind, const Reduction &r, Value x) {
  return e.reduce(kind, x, r.dims, r.keepDims);
}

void importReduceSum(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return reduce(e, ReduceKind::Sum, r, r.x);
  });
}
void importReduceMean(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return e.mean(r.x, r.dims, r.keepDims);
  });
}
void importReduceProd(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return reduce(e, ReduceKind::Prod, r, r.x);
  });
}
void importReduceMax(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return reduce(e, ReduceKind::Max, r, r.x);
  });
}
void importReduceMin(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return reduce(e, ReduceKind::Min, r, r.x);
  });
}
void importReduceL1(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return reduce(e, ReduceKind::Sum, r, e.unary<AbsOp>(r.x));
  });
}
static Value sumSquares(Emitter &e, const Reduction &r) {
  if (isa<FloatType>(getElementTypeOrSelf(r.x.getType())))
    return reduce(e, ReduceKind::SumSquares, r, r.x);
  return reduce(e, ReduceKind::Sum, r, e.binary<MulOp>(r.x, r.x));
}
void importReduceSumSquare(Node &node) { importReduction(node, sumSquares); }
void importReduceL2(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return e.unary<SqrtOp>(sumSquares(e, r));
  });
}
void importReduceLogSum(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    return e.unary<LogOp>(reduce(e, ReduceKind::Sum, r, r.x));
  });
}

/// log(sum(exp(x - m))) + m with m the maximum, or 0 where that is infinite.
void importReduceLogSumExp(Node &node) {
  importReduction(node, [](Emitter &e, const Reduction &r) {
    Value top = e.reduce(ReduceKind::Max, r.x, r.dims, /*keepDims=*/true);
    top = e.select(e.unary<IsInfOp>(top), e.splat(typeOf(top), 0), top);
    Value exps = e.unary<ExpOp>(e.binary<SubOp>(r.x, top));
    Value sum = e.reduce(ReduceKind::Sum, exps, r.dims, r.keepDims);
    if (sum)
      top = e.reshape(top, shapeOf(sum));
    return e.binary<AddOp>(e.unary<LogOp>(sum), top);
  });
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

static Value argReduce(Emitter &e, ReduceKind kind, Value x, int64_t axis,
                       bool selectLast) {
  SmallVector<NamedAttribute> attributes{
      e.attr("kind", ReduceKindAttr::get(e.builder.getContext(), kind)),
      e.attr("axis", axis)};
  if (selectLast)
    attributes.push_back(e.attr("select_last", e.builder.getUnitAttr()));
  return e.make<ArgReduceOp>(x, attributes);
}

static void importArg(Node &node, ReduceKind kind) {
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  bool keep = node.flag("keepdims", true);
  bool last = node.flag("select_last_index");
  if (!axis)
    return;
  Value index = argReduce(node.emit, kind, x, *axis, last);
  node.set(keep ? node.emit.unsqueeze(index, *axis) : index);
}

void importArgMax(Node &node) { importArg(node, ReduceKind::Max); }
void importArgMin(Node &node) { importArg(node, ReduceKind::Min); }

//===----------------------------------------------------------------------===//
// Along one axis
//===----------------------------------------------------------------------===//

using AlongAxis = Value (*)(Emitter &e, Value x, int64_t axis);

static Value softmax(Emitter &e, Value x, int64_t axis) {
  Value wide = e.convert(x, e.accurate(elementOf(x)));
  return e.convert(e.softmax(wide, axis), elementOf(x));
}
static Value logSoftmax(Emitter &e, Value x, int64_t axis) {
  Value wide = e.convert(x, e.accurate(elementOf(x)));
  return e.convert(e.make<LogSoftmaxOp>(wide, {e.attr("axis", axis)}),
                   elementOf(x));
}
/// One where the greatest element is first, else zero.
static Value hardmax(Emitter &e, Value x, int64_t axis) {
  Value top = e.unsqueeze(argReduce(e, ReduceKind::Max, x, axis, false), axis);
  Value index = e.iota(e.builder.getI64Type(), shapeOf(x), axis);
  return e.convert(e.compare(Direction::EQ, index, top), elementOf(x));
}

/// Since 13: along one axis.
static void importAlong(Node &node, AlongAxis build) {
  auto axis = node.axis("axis", -1, rankOf(node[0]));
  if (axis)
    node.set(build(node.emit, node[0], *axis));
}

/// Before 13: along all dimensions from the axis on, as if they were one.
static void importFlattened(Node &node, AlongAxis build) {
  Value x = node[0];
  auto axis = node.axis("axis", 1, rankOf(x));
  if (!axis)
    return;
  Ints shape = shapeOf(x);
  if (*axis == int64_t(shape.size()) - 1)
    return node.set(build(node.emit, x, *axis));
  IntVector flat(shape.take_front(*axis));
  int64_t rest = 1;
  for (int64_t size : shape.drop_front(*axis))
    rest *= size;
  flat.push_back(rest);
  Value result = build(node.emit, node.emit.reshape(x, flat), *axis);
  node.set(node.emit.reshape(result, shape));
}

void importSoftmax(Node &node) { importAlong(node, softmax); }
void importSoftmaxFlattened(Node &node) { importFlattened(node, softmax); }
void importLogSoftmax(Node &node) { importAlong(node, logSoftmax); }
void importLogSoftmaxFlattened(Node &node) {
  importFlattened(node, logSoftmax);
}
void importHardmax(Node &node) { importAlong(node, hardmax); }
void importHardmaxFlattened(Node &node) { importFlattened(node, hardmax); }

static void importCumulative(Node &node, ReduceKind kind) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto given = node.constant(1, "axis");
  bool exclusive = node.flag("exclusive"), reverse = node.flag("reverse");
  if (!given || given->size() != 1)
    return (void)node.error("needs one axis");
  auto axis = node.checkAxis(given->front(), rankOf(x));
  if (!axis)
    return;
  SmallVector<NamedAttribute> attributes{
      e.attr("kind", ReduceKindAttr::get(e.builder.getContext(), kind)),
      e.attr("axis", *axis)};
  if (exclusive)
    attributes.push_back(e.attr("exclusive", e.builder.getUnitAttr()));
  if (reverse)
    attributes.push_back(e.attr("reverse", e.builder.getUnitAttr()));
  node.set(e.make<ScanOp>(x, attributes));
}

void importCumSum(Node &node) { importCumulative(node, ReduceKind::Sum); }
void importCumProd(Node &node) { importCumulative(node, ReduceKind::Prod); }

} // namespace smp::frontend
