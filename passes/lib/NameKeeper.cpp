// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/NameKeeper.h"
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
    names.move(op, value);
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
  SmallVector<StringAttr> further = names.take(op);
  if (replaced.erase(op))
    return;
  removed.insert_range(getSourceNames(op->getLoc()));
  removed.insert_range(further);
}

void NameKeeper::finish(ModuleOp module) {
  names.apply();
  if (auto before = module->getAttrOfType<ArrayAttr>(kRemovedNamesAttr))
    for (auto name : before.getAsRange<StringAttr>())
      removed.insert(name);
  // A name may have been erased in one place and live on in another.
  llvm::DenseSet<StringAttr> alive;
  module->walk(
      [&](Operation *op) { alive.insert_range(getSourceNames(op->getLoc())); });
  removed.remove_if([&](StringAttr name) { return alive.contains(name); });
  SmallVector<Attribute> list(removed.begin(), removed.end());
  llvm::sort(list, [](Attribute a, Attribute b) {
    return cast<StringAttr>(a).getValue() < cast<StringAttr>(b).getValue();
  });
  if (list.empty())
    module->removeAttr(kRemovedNamesAttr);
  else
    module->setAttr(kRemovedNamesAttr,
                    ArrayAttr::get(module.getContext(), list));
  removed.clear();
}

} // namespace smp::passes
