// SPDX-License-Identifier: Apache-2.0
#include "smp/import/Losses.h"

namespace smp::losses {

static bool isFloatTensor(const Tensor &x) { return smp::isFloat(x.dtype()); }

static bool refuse(GraphBuilder &g, std::string_view loss, std::string why) {
  g.fail(std::string(loss) + ": " + std::move(why));
  return false;
}

/// Checks a loss of elements; empty tensors are the mistake of another.
static bool check(GraphBuilder &g, std::string_view loss, const Tensor &x,
                  const Tensor &target) {
  if (!x || !target)
    return false;
  if (!isFloatTensor(x) || x.type() != target.type())
    return refuse(g, loss,
                  "takes floats and targets of the same type; they are a " +
                      toString(x.type()) + " and a " + toString(target.type()));
  return true;
}

static bool checkClasses(GraphBuilder &g, std::string_view loss,
                         const Tensor &logits, double smoothing) {
  if (!logits)
    return false;
  if (!isFloatTensor(logits) || logits.rank() < 1 || logits.dim(-1) < 1)
    return refuse(g, loss,
                  "takes float logits [..., classes]; they are a " +
                      toString(logits.type()));
  if (!(smoothing >= 0 && smoothing <= 1))
    return refuse(g, loss,
                  "labelSmoothing is " + std::to_string(smoothing) +
                      "; it must be in 0..1");
  return true;
}

/// `counted`: per element 1, or 0 when it is no part of a mean; empty: all are.
static Tensor reduced(GraphBuilder &g, const Tensor &loss, Reduce reduce,
                      const Tensor &counted = {}) {
  if (!loss || reduce == Reduce::None)
    return loss;
  Tensor sum = loss.rank() ? g.sum(loss) : loss;
  if (reduce == Reduce::Sum)
    return sum;
  if (reduce == Reduce::BatchMean)
    return g.mul(sum, 1.0 / double(std::max<int64_t>(loss.dim(0), 1)));
  if (counted)
    return g.div(sum, g.max(counted.rank() ? g.sum(counted) : counted, 1));
  auto elements = checkedNumElements(loss.shape());
  return g.mul(sum, 1.0 / double(std::max<int64_t>(elements.value_or(1), 1)));
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// A softmax in parts: the probability of a class is exp(shifted) / total, the
/// gradient of log(total) needs nothing but these, and what is subtracted
/// matters to neither.
struct Parts {
  Tensor greatest; ///< [..., 1].
  Tensor shifted;  ///< logits - greatest.
  Tensor logTotal; ///< [...].
};
} // namespace

static Parts partsOf(GraphBuilder &g, const Tensor &logits) {
  Parts parts;
  parts.greatest =
      g.stopGradient(g.reduce(Reduction::Max, logits, {-1}, KeepDims::Yes));
  parts.shifted = g.sub(logits, parts.greatest);
  parts.logTotal = g.log(g.sum(g.exp(parts.shifted), {-1}));
  return parts;
}

static bool checkTargets(GraphBuilder &g, const Tensor &logits,
                         const Tensor &targets) {
  if (!targets)
    return false;
  Shape rows = logits.shape();
  rows.pop_back();
  bool isIndex = targets.dtype() == DType::I32 || targets.dtype() == DType::I64;
  if (!isIndex || targets.shape() != rows)
    return refuse(g, "cross_entropy",
                  "of logits " + toString(logits.type()) + " takes targets " +
                      toString(TensorType{DType::I64, rows}) +
                      ", or the same in i32; they are a " +
                      toString(targets.type()));
  return true;
}

/// The logit of each row's target, less the row's greatest.
static Tensor picked(GraphBuilder &g, const Tensor &logits, const Parts &parts,
                     const Tensor &targets) {
  Shape column = targets.shape();
  column.push_back(1);
  Tensor taken = g.gatherElements(logits, g.reshape(targets, column), -1);
  return g.reshape(g.sub(taken, parts.greatest), targets.shape());
}

Tensor crossEntropy(GraphBuilder &g, const Tensor &logits,
                    const Tensor &targets, const CrossEntropyOptions &options) {
  const double smoothing = options.labelSmoothing;
  if (!checkClasses(g, "cross_entropy", logits, smoothing) ||
      !checkTargets(g, logits, targets))
    return {};
  NameScope scope = g.scope("cross_entropy");
  Tensor isIgnored, index = targets;
  if (options.ignoreIndex) {
    isIgnored =
        g.compare(Comparison::Equal, targets, double(*options.ignoreIndex));
    index = g.select(isIgnored, 0.0, targets);
  }
  Parts parts = partsOf(g, logits);
  Tensor kept = picked(g, logits, parts, index);
  if (smoothing > 0)
    kept = g.add(g.mul(kept, 1 - smoothing),
                 g.mul(g.mean(parts.shifted, {-1}), smoothing));
  Tensor loss = g.sub(parts.logTotal, kept);
  if (!isIgnored)
    return reduced(g, loss, options.reduce);
  loss = g.select(isIgnored, 0.0, loss);
  Tensor counted = g.select(isIgnored, 0.0, g.splat(loss.type(), 1));
  return reduced(g, loss, options.reduce, counted);
}

Tensor crossEntropyOf(GraphBuilder &g, const Tensor &logits,
                      const Tensor &probabilities,
                      const CrossEntropyOfOptions &options) {
  const double smoothing = options.labelSmoothing;
  if (!checkClasses(g, "cross_entropy_of", logits, smoothing) ||
      !check(g, "cross_entropy_of", logits, probabilities))
    return {};
  NameScope scope = g.scope("cross_entropy_of");
  Tensor wanted = probabilities;
  if (smoothing > 0)
    wanted =
        g.add(g.mul(wanted, 1 - smoothing), smoothing / double(logits.dim(-1)));
  Parts parts = partsOf(g, logits);
  Tensor kept = g.sum(g.mul(wanted, parts.shifted), {-1});
  Tensor all = g.mul(parts.logTotal, g.sum(wanted, {-1}));
  return reduced(g, g.sub(all, kept), options.reduce);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Tensor meanSquaredError(GraphBuilder &g, const Tensor &x, const Tensor &target,
                        Reduce reduce) {
  if (!check(g, "mean_squared_error", x, target))
    return {};
  NameScope scope = g.scope("mean_squared_error");
  Tensor difference = g.sub(x, target);
  return reduced(g, g.mul(difference, difference), reduce);
}

Tensor l1(GraphBuilder &g, const Tensor &x, const Tensor &target,
          Reduce reduce) {
  if (!check(g, "l1", x, target))
    return {};
  NameScope scope = g.scope("l1");
  return reduced(g, g.abs(g.sub(x, target)), reduce);
}

Tensor binaryCrossEntropyWithLogits(GraphBuilder &g, const Tensor &logits,
                                    const Tensor &target,
                                    const BinaryCrossEntropyOptions &options) {
  if (!check(g, "binary_cross_entropy_with_logits", logits, target))
    return {};
  NameScope scope = g.scope("binary_cross_entropy_with_logits");
  Tensor positive = g.mul(target, g.softplus(g.neg(logits)));
  if (options.positiveWeight)
    positive = g.mul(positive, options.positiveWeight);
  if (positive && positive.shape() != logits.shape()) {
    g.fail("binary_cross_entropy_with_logits: a positive weight " +
           toString(options.positiveWeight.type()) +
           " does not broadcast to logits " + toString(logits.type()));
    return {};
  }
  Tensor negative = g.mul(g.sub(1, target), g.softplus(logits));
  return reduced(g, g.add(positive, negative), options.reduce);
}

Tensor klDivergence(GraphBuilder &g, const Tensor &logProbabilities,
                    const Tensor &target, const KlDivergenceOptions &options) {
  if (!check(g, "kl_divergence", logProbabilities, target))
    return {};
  NameScope scope = g.scope("kl_divergence");
  if (options.logTarget)
    return reduced(g, g.mul(g.exp(target), g.sub(target, logProbabilities)),
                   options.reduce);
  Tensor isZero = g.compare(Comparison::Equal, target, 0);
  Tensor logTarget = g.log(g.select(isZero, 1, target));
  return reduced(g, g.mul(target, g.sub(logTarget, logProbabilities)),
                 options.reduce);
}

} // namespace smp::losses
