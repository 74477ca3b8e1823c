// SPDX-License-Identifier: Apache-2.0
// Losses over classes.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// -weight[target] * logProbability[target], reduced; targets that equal
/// ignore_index have weight 0.
static Value pickedLoss(Node &node, Value logProbability) {
  Emitter &e = node.emit;
  Value target = node[1], weights = node[2];
  std::string reduction =
      node.word("reduction", "mean", {"none", "sum", "mean"});
  bool ignores = node.hasAttr("ignore_index");
  int64_t ignored = node.integer("ignore_index");
  Value isIgnored, index = target;
  if (ignores) {
    isIgnored = e.compare(Direction::EQ, target, double(ignored));
    index = e.select(isIgnored, e.splat(typeOf(target), 0), target);
  }
  if (rankOf(logProbability) < 2)
    return node.error("takes [batch, classes, ...]");
  Value picked = e.make<GatherElementsOp>(
      {logProbability, e.unsqueeze(index, 1)}, {e.attr("axis", 1)});
  Value loss = e.unary<NegOp>(picked ? e.squeeze(picked, 1) : Value());
  Value weight;
  if (weights)
    weight = e.gather(weights, index, 0);
  else if (ignores)
    weight = e.splat(typeOf(loss), 1);
  if (ignores)
    weight = e.select(isIgnored, e.splat(typeOf(loss), 0), weight);
  if (weight)
    loss = e.binary<MulOp>(loss, weight);
  IntVector all = range(rankOf(loss));
  if (reduction == "none")
    return loss;
  if (reduction == "mean" && !weight)
    return e.mean(loss, all, /*keepDims=*/false);
  Value sum = e.reduce(ReduceKind::Sum, loss, all, /*keepDims=*/false);
  if (reduction == "sum")
    return sum;
  return e.binary<DivOp>(
      sum, e.reduce(ReduceKind::Sum, weight, all, /*keepDims=*/false));
}

void importNllLoss(Node &node) { node.set(pickedLoss(node, node[0])); }

void importSoftmaxCrossEntropy(Node &node) {
  Emitter &e = node.emit;
  if (rankOf(node[0]) < 2)
    return (void)node.error("takes [batch, classes, ...]");
  Value logProbability = e.make<LogSoftmaxOp>(node[0], {e.attr("axis", 1)});
  node.set(0, pickedLoss(node, logProbability));
  node.set(1, logProbability);
}

} // namespace smp::frontend
