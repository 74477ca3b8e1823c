// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Placement.h"
#include "smp/ir/ModelOps.h"

using namespace mlir;

namespace smp::ir {

PlacementAttr getPlacement(Operation *op) {
  return op->getAttrOfType<PlacementAttr>(kPlacementAttr);
}

void setPlacement(Operation *op, int64_t partition, Origin origin) {
  op->setAttr(kPlacementAttr,
              PlacementAttr::get(op->getContext(), partition, origin));
}

void inheritPlacement(Operation *from, Operation *to) {
  PlacementAttr placement = getPlacement(from);
  if (placement && !getPlacement(to))
    setPlacement(to, placement.getPartition(), Origin::Propagated);
}

Unit getUnit(Operation *op) {
  auto unit = op->getAttrOfType<ir::UnitAttr>(kUnitAttr);
  return unit ? unit.getValue() : Unit::Forward;
}

void inheritDerivation(Operation *from, Operation *to) {
  for (StringRef name : {kUnitAttr, kOriginAttr, kRecomputeAttr, kModelOpAttr})
    if (Attribute value = from->getAttr(name); value && !to->hasAttr(name))
      to->setAttr(name, value);
}

void inherit(Operation *from, Operation *to) {
  inheritPlacement(from, to);
  inheritDerivation(from, to);
}

Unit getPhase(Operation *op) {
  auto entry = dyn_cast_or_null<EntryOp>(op->getParentOp());
  if (entry && !entry->hasAttr(kMicrobatchesAttr))
    return Unit::Forward;
  Unit unit = getUnit(op);
  const bool divides = entry && entry->hasAttr(kDividesBackwardAttr);
  return unit == Unit::BackwardWeight && !divides ? Unit::BackwardInput : unit;
}

StringRef getSourceName(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = getSourceName(part); !name.empty())
        return name;
  return {};
}

StringRef getSourceName(Operation *op) { return getSourceName(op->getLoc()); }

} // namespace smp::ir
