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

UnscaledGradients::UnscaledGradients(EntryOp twin) {
  auto reads = twin.getBody().getOps<ReadOp>();
  auto found = llvm::find_if(reads, [](ReadOp read) {
    return read.getVariable() == kLossScale && getUnit(read) == Unit::Update;
  });
  if (found == reads.end())
    return;
  ReadOp scale = *found;
  // Before the scale of the next step is there.
  Watching watching(scale);
  OpBuilder b(twin.getContext());
  b.setListener(&watching);
  b.setInsertionPointAfter(scale);
  const Location loc = scale.getLoc();
  inverse = DivOp::create(b, loc, splat(b, loc, scale.getType(), 1),
                          scale.getValue());
}

Value UnscaledGradients::of(Value gradient) {
  if (!inverse)
    return gradient;
  Operation *maker = gradient.getDefiningOp();
  Watching watching(maker);
  OpBuilder b(gradient.getContext());
  b.setListener(&watching);
  b.setInsertionPointAfter(maker->isBeforeInBlock(inverse.getDefiningOp())
                               ? inverse.getDefiningOp()
                               : maker);
  const Location loc = partOf(maker->getLoc());
  auto type = tensorOf(gradient);
  Value factor = inverse;
  if (elementOf(factor) != type.getElementType())
    factor = ConvertOp::create(
        b, loc, tensorOf(factor).clone(type.getElementType()), factor);
  if (type.getRank() > 0)
    factor = BroadcastOp::create(b, loc, type, factor, ArrayRef<int64_t>());
  return MulOp::create(b, loc, gradient, factor);
}

} // namespace smp::passes
