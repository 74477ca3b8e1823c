// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::ir {

static void collectNames(Location location,
                         SmallVectorImpl<StringAttr> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!name.getName().empty() && !llvm::is_contained(names, name.getName()))
      names.push_back(name.getName());
    collectNames(name.getChildLoc(), names);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectNames(part, names);
  }
}

SmallVector<StringAttr> getSourceNames(Location location) {
  SmallVector<StringAttr> names;
  collectNames(location, names);
  return names;
}

Location withNamesOf(Location location, Location other) {
  SmallVector<StringAttr> own = getSourceNames(location);
  SmallVector<Location> parts{location};
  for (StringAttr name : getSourceNames(other))
    if (!llvm::is_contained(own, name))
      parts.push_back(NameLoc::get(name));
  return parts.size() == 1 ? location
                           : FusedLoc::get(location.getContext(), parts);
}

Location partOf(Location location) {
  SmallVector<StringAttr> names = getSourceNames(location);
  if (names.empty())
    return location;
  return CallSiteLoc::get(UnknownLoc::get(location.getContext()),
                          NameLoc::get(names.front()));
}

/// The child of the first NameLoc in a location; null if there is none.
static LocationAttr valuesLoc(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return isa<UnknownLoc>(name.getChildLoc())
               ? LocationAttr()
               : LocationAttr(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (LocationAttr values = valuesLoc(part))
        return values;
  return {};
}

StringRef getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto entry = dyn_cast<EntryOp>(argument.getOwner()->getParentOp());
    auto name = entry ? entry.getArgAttrOfType<StringAttr>(
                            argument.getArgNumber(), kNameAttr)
                      : StringAttr();
    return name ? name.getValue() : getSourceName(argument.getLoc());
  }
  auto result = cast<OpResult>(value);
  LocationAttr values = valuesLoc(result.getOwner()->getLoc());
  auto fused = dyn_cast_or_null<FusedLoc>(values);
  if (fused && result.getResultNumber() < fused.getLocations().size())
    values = fused.getLocations()[result.getResultNumber()];
  else if (result.getResultNumber() > 0)
    return {};
  auto name = dyn_cast_or_null<NameLoc>(values);
  return name ? name.getName().getValue() : getSourceName(result.getOwner());
}

Location makeSourceLoc(MLIRContext *context, StringRef op,
                       ArrayRef<StringRef> values) {
  SmallVector<Location> names;
  for (StringRef value : values)
    names.push_back(NameLoc::get(StringAttr::get(context, value)));
  auto name = StringAttr::get(context, op);
  if (names.empty() || values == ArrayRef(op))
    return NameLoc::get(name);
  return NameLoc::get(name, names.size() == 1
                                ? names.front()
                                : Location(FusedLoc::get(context, names)));
}

StringRef getOriginName(Operation *op) {
  if (auto part = dyn_cast<CallSiteLoc>(op->getLoc()))
    return getSourceName(part.getCaller());
  return getSourceName(op);
}

} // namespace smp::ir
