// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::ir {

static void collectNames(Location location,
                         SmallVectorImpl<StringAttr> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!llvm::is_contained(names, name.getName()))
      names.push_back(name.getName());
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

StringRef getOriginName(Operation *op) {
  if (auto part = dyn_cast<CallSiteLoc>(op->getLoc()))
    return getSourceName(part.getCaller());
  return getSourceName(op);
}

} // namespace smp::ir
