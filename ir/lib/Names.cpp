// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smp::ir {

using NameSet = llvm::SmallSetVector<StringAttr, 4>;

static void collectNames(Location location, NameSet &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!name.getName().empty())
      names.insert(name.getName());
    collectNames(name.getChildLoc(), names);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectNames(part, names);
  }
}

/// They are where a part says what it is of.
static void collectDerivedNames(Location location, NameSet &names) {
  if (auto part = dyn_cast<CallSiteLoc>(location))
    collectNames(part.getCallee(), names);
  else if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location each : fused.getLocations())
      collectDerivedNames(each, names);
}

SmallVector<StringAttr> getDerivedNames(Location location) {
  NameSet names;
  collectDerivedNames(location, names);
  return llvm::to_vector(names);
}

Location withDerivedName(Location location, StringAttr name) {
  NameSet names;
  collectDerivedNames(location, names);
  if (!names.insert(name))
    return location;
  MLIRContext *context = name.getContext();
  const Location added = NameLoc::get(name);
  if (auto part = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(FusedLoc::get(context, {part.getCallee(), added}),
                            part.getCaller());
  if (getSourceNames(location).empty())
    return CallSiteLoc::get(added, location);
  return FusedLoc::get(
      context, {location, CallSiteLoc::get(added, UnknownLoc::get(context))});
}

SmallVector<StringAttr> getSourceNames(Location location) {
  NameSet names;
  collectNames(location, names);
  return llvm::to_vector(names);
}

//===----------------------------------------------------------------------===//
// PendingNames
//===----------------------------------------------------------------------===//

/// All results of an op have its location.
static Value ownerOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result ? Value(result.getOwner()->getResult(0)) : value;
}

void PendingNames::add(Value value, Location names) {
  pending[ownerOf(value)].push_back(names);
}

void PendingNames::move(Operation *from, Value value) {
  Names further;
  if (auto found = pending.find(ownerOf(from->getResult(0)));
      found != pending.end()) {
    further = std::move(found->second);
    pending.erase(found);
  }
  further.push_front(from->getLoc());
  Names &all = pending[ownerOf(value)];
  all.splice(all.end(), further);
}

SmallVector<StringAttr> PendingNames::take(Operation *op) {
  NameSet names;
  auto found =
      op->getNumResults() ? pending.find(op->getResult(0)) : pending.end();
  if (found == pending.end())
    return {};
  for (Location location : found->second)
    collectNames(location, names);
  pending.erase(found);
  return llvm::to_vector(names);
}

void PendingNames::apply() {
  for (auto &[value, further] : pending) {
    NameSet names;
    collectNames(value.getLoc(), names);
    const size_t own = names.size();
    for (Location location : further)
      collectNames(location, names);
    SmallVector<Location> parts{value.getLoc()};
    for (StringAttr name : llvm::drop_begin(names, own))
      parts.push_back(NameLoc::get(name));
    Location all = parts.size() > 1 ? FusedLoc::get(value.getContext(), parts)
                                    : value.getLoc();
    for (Location location : further)
      for (StringAttr name : getDerivedNames(location))
        all = withDerivedName(all, name);
    Value(value).setLoc(all);
  }
  pending.clear();
}

Location partOf(Location location) {
  SmallVector<StringAttr> names = getSourceNames(location);
  if (auto part = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(UnknownLoc::get(location.getContext()),
                            part.getCaller());
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
