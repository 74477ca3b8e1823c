// SPDX-License-Identifier: Apache-2.0
#include "LossScale.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Training.h"
#include <limits>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

bool isScaled(EntryOp entry) {
  auto type = entry->getAttrOfType<TypeAttr>(kPrecisionAttr);
  return type && type.getValue().isF16() && entry->hasAttr(kOptimizerAttr);
}

FailureOr<VariableOp> lossScale(EntryOp entry) {
  OriginNumbers unused(entry->getParentOfType<ModuleOp>());
  UpdateBuilder b(entry, unused);
  return b.variable(kLossScale, RankedTensorType::get({}, b.getF32()),
                    VariableKind::Optimizer, 65536);
}

FailureOr<ScaledStep> buildLossScale(UpdateBuilder &b, EntryOp entry,
                                     Value sumOfSquares) {
  constexpr int64_t kStepsToGrow = 2000;
  FailureOr<VariableOp> scale = lossScale(entry);
  FailureOr<VariableOp> counter = b.variable(
      "optimizer/finite_steps",
      RankedTensorType::get({}, IntegerType::get(b.getContext(), 64)),
      VariableKind::Optimizer, 0);
  if (failed(scale) || failed(counter))
    return failure();
  ScaledStep step;
  Value infinity =
      b.number(sumOfSquares, std::numeric_limits<double>::infinity());
  step.isFinite = b.make<CompareOp>(Direction::LT, sumOfSquares, infinity);
  Value old = b.read(*scale);
  Value count = b.read(*counter);
  Value next = b.add(count, b.number(count, 1));
  Value grows = b.make<CompareOp>(Direction::GE, next,
                                  b.number(next, double(kStepsToGrow)));
  Value zero = b.number(next, 0);
  Value kept = b.make<SelectOp>(grows, zero, next);
  b.assignAlways(*counter, b.make<SelectOp>(step.isFinite, kept, zero));
  Value grown = b.make<SelectOp>(grows, b.mul(old, b.number(old, 2)), old);
  Value shrunk = b.mul(old, b.number(old, 0.5));
  b.assignAlways(*scale, b.make<SelectOp>(step.isFinite, grown, shrunk));
  Value wide = b.convert(old, getElementTypeOrSelf(sumOfSquares.getType()));
  step.inverse = b.div(b.number(wide, 1), wide);
  return step;
}

} // namespace smp::passes
