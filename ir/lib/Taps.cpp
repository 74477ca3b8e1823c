// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Taps.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::ir {

bool isWatcher(Operation *op) {
  return isa<TapOp>(op) || op->hasAttr(kWatchesAttr);
}

void Watching::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  op->setAttr(kWatchesAttr, mlir::UnitAttr::get(op->getContext()));
  if (watched)
    inherit(watched, op);
  op->removeAttr(kOriginAttr);
  op->removeAttr(kRecomputeAttr);
}

bool hasOneReader(Value value) {
  Operation *op = value.getDefiningOp();
  return llvm::count_if(readingUsesOf(op), [&](OpOperand &use) {
           return use.get() == value;
         }) == 1;
}

void foldTaps(Value value) {
  SmallVector<TapOp> taps;
  for (Operation *user : value.getUsers())
    if (auto tap = dyn_cast<TapOp>(user))
      taps.push_back(tap);
  if (taps.empty())
    return;
  auto module = taps.front()->getParentOfType<ModuleOp>();
  SmallVector<Attribute> folded;
  if (auto before = module->getAttrOfType<ArrayAttr>(kFoldedTapsAttr))
    folded.assign(before.begin(), before.end());
  for (TapOp tap : taps) {
    if (!llvm::is_contained(folded, tap.getNameAttr()))
      folded.push_back(tap.getNameAttr());
    tap.erase();
  }
  module->setAttr(kFoldedTapsAttr, ArrayAttr::get(module.getContext(), folded));
}

} // namespace smp::ir
