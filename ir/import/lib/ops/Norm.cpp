// SPDX-License-Identifier: Apache-2.0
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

static Value batchNorm(Emitter &e, Value x, Value scale, Value bias, Value mean,
                       Value variance, double epsilon) {
  return e.make<BatchNormOp>(
      {x, scale, bias, mean, variance},
      {e.attr("axis", 1),
       e.attr("epsilon", e.builder.getF64FloatAttr(epsilon))});
}

/// The running value after this batch: momentum * old + (1 - momentum) * now.
static Value runningValue(Emitter &e, Value old, Value now, double momentum) {
  return e.binary<AddOp>(e.binary<MulOp>(old, momentum),
                         e.binary<MulOp>(now, 1 - momentum));
}

void importBatchNorm(Node &node) {
  Emitter &e = node.emit;
  double epsilon = node.number("epsilon", 1e-5f);
  double momentum = node.number("momentum", 0.9f);
  bool isTraining = node.flag("training_mode");
  if (node.since < 9 && !node.flag("spatial", true))
    return (void)node.error("normalises each position by itself (spatial=0)");
  Value x = node[0];
  if (rankOf(x) < 2)
    return (void)node.error(
        "takes [batch, features, ...], not a tensor of rank " +
        Twine(rankOf(x)));
  Value scale = e.convert(node[1], elementOf(x)),
        bias = e.convert(node[2], elementOf(x));
  Value mean = node[3], variance = node[4];
  if (!isTraining)
    return node.set(batchNorm(e, x, scale, bias, e.convert(mean, elementOf(x)),
                              e.convert(variance, elementOf(x)), epsilon));
  IntVector others = range(rankOf(x));
  others.erase(others.begin() + 1);
  Value nowMean = e.mean(x, others, /*keepDims=*/false);
  Value centred = e.binary<SubOp>(
      x, nowMean ? e.broadcastAlong(nowMean, shapeOf(x), 1) : Value());
  Value nowVariance =
      e.mean(e.binary<MulOp>(centred, centred), others, /*keepDims=*/false);
  node.set(0, batchNorm(e, x, scale, bias, nowMean, nowVariance, epsilon));
  node.set(
      1, runningValue(e, mean, e.convert(nowMean, elementOf(mean)), momentum));
  node.set(2,
           runningValue(e, variance,
                        e.convert(nowVariance, elementOf(variance)), momentum));
}

//===----------------------------------------------------------------------===//
// Norms over some dimensions
//===----------------------------------------------------------------------===//

namespace {
struct Normalised {
  Value centred, inverse; ///< Their product is the normalised tensor.
  Value mean;
};
} // namespace

/// x - mean and 1 / sqrt(variance + epsilon), over `dims`, which are kept.
static Normalised normalise(Emitter &e, Value x, Ints dims, double epsilon) {
  Normalised result;
  result.mean = e.mean(x, dims, /*keepDims=*/true);
  result.centred = e.binary<SubOp>(x, result.mean);
  Value variance = e.mean(e.binary<MulOp>(result.centred, result.centred), dims,
                          /*keepDims=*/true);
  result.inverse = e.unary<RsqrtOp>(e.binary<AddOp>(variance, epsilon));
  return result;
}

/// `x` with a vector along the features multiplied and another added.
static Value scaleFeatures(Emitter &e, Value x, Value scale, Value bias) {
  if (!x)
    return {};
  x = e.binary<MulOp>(x, e.broadcastAlong(scale, shapeOf(x), 1));
  return e.binary<AddOp>(x, e.broadcastAlong(bias, shapeOf(x), 1));
}

void importInstanceNorm(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  double epsilon = node.number("epsilon", 1e-5f);
  if (rankOf(x) < 3)
    return (void)node.error("takes [batch, features, spatial...]");
  IntVector dims = range(rankOf(x));
  dims.erase(dims.begin(), dims.begin() + 2);
  Normalised n = normalise(e, x, dims, epsilon);
  Value normal = e.binary<MulOp>(n.centred, n.inverse);
  node.set(scaleFeatures(e, normal, node[1], node[2]));
}

/// The wider of the input's element type and the one that `stash_type` asks to
/// compute with; null after an error.
static Type computeType(Node &node) {
  Type own = elementOf(node[0]);
  Type stash = node.elementType(node.integer("stash_type", 1));
  if (!stash)
    return {};
  if (isa<FloatType>(own) && isa<FloatType>(stash))
    return stash.getIntOrFloatBitWidth() > own.getIntOrFloatBitWidth() ? stash
                                                                       : own;
  node.error("normalises something else than floats");
  return {};
}

/// 18: a scale and bias per group; 21: per feature.
void importGroupNorm(Node &node) {
  Emitter &e = node.emit;
  Type type = computeType(node), own = elementOf(node[0]);
  Value x = e.convert(node[0], type), scale = e.convert(node[1], type),
        bias = e.convert(node[2], type);
  double epsilon = node.number("epsilon", 1e-5f);
  int64_t groups = node.integer("num_groups", 0);
  if (!x)
    return;
  if (rankOf(x) < 2 || groups < 1 || dimOf(x, 1) % groups)
    return (void)node.error("cuts " + Twine(dimOf(x, 1)) + " features into " +
                            Twine(groups) + " groups");
  IntVector grouped{dimOf(x, 0), groups, dimOf(x, 1) / groups};
  grouped.append(shapeOf(x).begin() + 2, shapeOf(x).end());
  IntVector dims = range(int64_t(grouped.size()));
  dims.erase(dims.begin(), dims.begin() + 2);
  Normalised n = normalise(e, e.reshape(x, grouped), dims, epsilon);
  Value normal = e.binary<MulOp>(n.centred, n.inverse);
  Value y = node.since < 21
                ? e.reshape(scaleFeatures(e, normal, scale, bias), shapeOf(x))
                : scaleFeatures(e, e.reshape(normal, shapeOf(x)), scale, bias);
  node.set(e.convert(y, own));
}

/// The op of the dialect when that is all, else its parts, of which the model
/// also wants the mean and the inverse deviation.
void importLayerNorm(Node &node) {
  Emitter &e = node.emit;
  Type type = computeType(node), own = elementOf(node[0]);
  Value x = e.convert(node[0], type), scale = e.convert(node[1], type),
        bias = e.convert(node[2], type);
  auto axis = node.axis("axis", -1, rankOf(x));
  double epsilon = node.number("epsilon", 1e-5f);
  if (!axis || !x)
    return;
  Ints normalised = shapeOf(x).drop_front(*axis);
  if (!bias)
    bias = e.splat(RankedTensorType::get(normalised, elementOf(x)), 0);
  Value y = e.make<LayerNormOp>(
      {x, e.broadcastTo(scale, normalised), e.broadcastTo(bias, normalised)},
      {e.attr("axis", *axis),
       e.attr("epsilon", e.builder.getF64FloatAttr(epsilon))});
  node.set(0, e.convert(y, own));
  if (!node.wants(1) && !node.wants(2))
    return;
  IntVector dims = range(rankOf(x));
  dims.erase(dims.begin(), dims.begin() + *axis);
  Normalised n = normalise(e, x, dims, epsilon);
  node.set(1, n.mean);
  node.set(2, n.inverse);
}

/// The scale is multiplied with the result in the input's type, and may be
/// anything that broadcasts to it.
void importRmsNorm(Node &node) {
  Emitter &e = node.emit;
  Type type = computeType(node);
  Value x = e.convert(node[0], type), scale = node[1];
  auto axis = node.axis("axis", -1, rankOf(x));
  double epsilon = node.number("epsilon", 1e-5f);
  if (!axis || !x)
    return;
  Ints normalised = shapeOf(x).drop_front(*axis);
  auto norm = [&](Value factor) {
    return e.make<RmsNormOp>(
        {x, factor}, {e.attr("axis", *axis),
                      e.attr("epsilon", e.builder.getF64FloatAttr(epsilon))});
  };
  auto common = broadcastShapes(shapeOf(scale), normalised);
  if (common && Ints(*common) == normalised && elementOf(scale) == type &&
      type == elementOf(node[0]))
    return node.set(norm(e.broadcastTo(scale, normalised)));
  Value plain = norm(e.splat(RankedTensorType::get(normalised, type), 1));
  plain = e.convert(e.convert(plain, elementOf(node[0])), elementOf(scale));
  node.set(e.binary<MulOp>(plain, e.broadcastTo(scale, shapeOf(x))));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Features that are summed over: each costs ops.
static constexpr int64_t kMaxNeighbours = 4096;

/// x / (bias + alpha / size * sum of squares of near features)^beta.
void importLrn(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  double alpha = node.number("alpha", 0.0001f),
         beta = node.number("beta", 0.75);
  double bias = node.number("bias", 1);
  int64_t size = node.integer("size", 0);
  if (rankOf(x) < 2 || size < 1 || size > kMaxNeighbours)
    return (void)node.error("sums over " + Twine(size) +
                            " features of a tensor of rank " +
                            Twine(rankOf(x)) + "; 1 to " +
                            Twine(kMaxNeighbours) + " of rank 2 at least");
  // The sum over neighbouring features, as shifted slices of the padded
  // squares: whatever the layout, each is a plain walk.
  IntVector low(rankOf(x), 0), high(rankOf(x), 0);
  low[1] = (size - 1) / 2;
  high[1] = size / 2;
  Value squares = e.pad(e.binary<MulOp>(x, x), low, high);
  Value sums;
  for (int64_t shift = 0; shift < size; ++shift) {
    Value slice = e.slice(squares, 1, shift, shift + dimOf(x, 1));
    sums = sums ? e.binary<AddOp>(sums, slice) : slice;
  }
  Value base =
      e.binary<AddOp>(e.binary<MulOp>(sums, alpha / double(size)), bias);
  node.set(e.binary<DivOp>(x, e.binary<PowOp>(base, beta)));
}

void importMeanVarianceNorm(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto given = node.integers("axes");
  auto dims = node.checkAxes(given ? *given : IntVector{0, 2, 3}, rankOf(x));
  if (!dims)
    return;
  Value mean = e.mean(x, *dims, /*keepDims=*/true);
  Value meanSquare = e.mean(e.binary<MulOp>(x, x), *dims, /*keepDims=*/true);
  Value variance = e.binary<SubOp>(meanSquare, e.binary<MulOp>(mean, mean));
  Value deviation = e.binary<AddOp>(e.unary<SqrtOp>(variance), 1e-9);
  node.set(e.binary<DivOp>(e.binary<SubOp>(x, mean), deviation));
}

void importLpNorm(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto axis = node.axis("axis", -1, rankOf(x));
  int64_t p = node.integer("p", 2);
  if (!axis)
    return;
  if (p != 1 && p != 2)
    return (void)node.error("takes the norm of order " + Twine(p) +
                            "; it must be 1 or 2");
  Value parts = p == 1 ? e.unary<AbsOp>(x) : e.binary<MulOp>(x, x);
  Value sum = e.reduce(ReduceKind::Sum, parts, {*axis}, /*keepDims=*/true);
  Value norm = p == 1 ? sum : e.unary<SqrtOp>(sum);
  if (!norm)
    return;
  // Zeros stay zeros.
  Value isZero = e.compare(Direction::EQ, norm, 0.0);
  Value divisor = e.select(isZero, e.splat(typeOf(norm), 1), norm);
  node.set(e.binary<DivOp>(x, divisor));
}

} // namespace smp::frontend
