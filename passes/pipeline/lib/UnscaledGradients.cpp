// SPDX-License-Identifier: Apache-2.0
#include "UnscaledGradients.h"
#include "smp/ir/Constants.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Training.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

UnscaledGradients::UnscaledGradients(EntryOp twin, Unit unit) {
  auto reads = twin.getBody().getOps<ReadOp>();
  auto found = llvm::find_if(reads, [unit](ReadOp read) {
    return read.getVariable() == kLossScale && getUnit(read) == unit;
  });
  if (found != reads.end())
    scale = *found;
}

void UnscaledGradients::makeInverse() {
  // Before the scale of the next step is there.
  Watching watching(scale);
  OpBuilder b(scale.getContext());
  b.setListener(&watching);
  b.setInsertionPointAfter(scale);
  const Location loc = scale.getLoc();
  inverse = DivOp::create(b, loc, splat(b, loc, scale.getType(), 1),
                          scale.getValue());
}

Value UnscaledGradients::of(Value gradient) {
  if (!scale)
    return gradient;
  if (!inverse)
    makeInverse();
  Operation *maker = gradient.getDefiningOp();
  Watching watching(maker);
  OpBuilder b(gradient.getContext());
  b.setListener(&watching);
  b.setInsertionPointAfter(maker->isBeforeInBlock(inverse.getDefiningOp())
                               ? inverse.getDefiningOp()
                               : maker);
  const Location loc = partOf(maker->getLoc());
  // Halves vanish without their scale.
  Type element = elementOf(gradient);
  if (element.getIntOrFloatBitWidth() <
      elementOf(inverse).getIntOrFloatBitWidth()) {
    element = elementOf(inverse);
    gradient =
        ConvertOp::create(b, loc, tensorOf(gradient).clone(element), gradient);
  }
  auto type = tensorOf(gradient);
  Value factor = inverse;
  if (elementOf(factor) != element)
    factor = ConvertOp::create(b, loc, tensorOf(factor).clone(element), factor);
  if (type.getRank() > 0)
    factor = BroadcastOp::create(b, loc, type, factor, ArrayRef<int64_t>());
  return MulOp::create(b, loc, gradient, factor);
}

} // namespace smp::passes
