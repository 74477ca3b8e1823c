// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/NameKeeper.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

void NameKeeper::notifyPatternBegin(const Pattern &, Operation *) {
  inserted.clear();
}

void NameKeeper::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint previous) {
  // A moved op keeps what it has.
  if (!previous.isSet())
    inserted.insert(op);
}

/// Gives `replacement` the placement of `op`, unless a user gave it another.
void NameKeeper::place(Operation *op, Operation *replacement) {
  PlacementAttr from = getPlacement(op), to = getPlacement(replacement);
  if (from && (!to || (from.isUser() && !to.isUser())))
    replacement->setAttr(kPlacementAttr, from);
}

void NameKeeper::notifyOperationReplaced(Operation *op, ValueRange values) {
  replaced.insert(op);
  llvm::SmallPtrSet<Operation *, 4> makers;
  for (Value value : values) {
    value.setLoc(withNamesOf(value.getLoc(), op->getLoc()));
    if (Operation *maker = value.getDefiningOp(); maker && maker != op) {
      makers.insert(maker);
      // What was there before keeps its own.
      if (inserted.contains(maker))
        inheritDerivation(op, maker);
      place(op, maker);
    }
  }
  for (Operation *part : inserted) {
    if (makers.contains(part) || part == op)
      continue;
    part->setLoc(partOf(part->getLoc()));
    inheritDerivation(op, part);
    place(op, part);
  }
  inserted.clear();
}

void NameKeeper::notifyOperationErased(Operation *op) {
  inserted.remove(op);
  if (replaced.erase(op))
    return;
  for (StringAttr name : getSourceNames(op->getLoc()))
    removed.insert(name);
}

void NameKeeper::finish(ModuleOp module) {
  if (auto before = module->getAttrOfType<ArrayAttr>(kRemovedNamesAttr))
    for (auto name : before.getAsRange<StringAttr>())
      removed.insert(name);
  // A name may have been erased in one place and live on in another.
  module->walk([&](Operation *op) {
    for (StringAttr name : getSourceNames(op->getLoc()))
      removed.remove(name);
  });
  SmallVector<Attribute> names(removed.begin(), removed.end());
  llvm::sort(names, [](Attribute a, Attribute b) {
    return cast<StringAttr>(a).getValue() < cast<StringAttr>(b).getValue();
  });
  if (names.empty())
    module->removeAttr(kRemovedNamesAttr);
  else
    module->setAttr(kRemovedNamesAttr,
                    ArrayAttr::get(module.getContext(), names));
  removed.clear();
}

} // namespace smp::passes
