// SPDX-License-Identifier: Apache-2.0
#include "PlaceItems.h"
#include "smp/ir/Placement.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

void forgetPins(ModuleOp module) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front())
      if (PlacementAttr placement = getPlacement(&op);
          placement && !placement.isAll())
        op.removeAttr(kPlacementAttr);
}

static int64_t firstUse(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (PlacementAttr placement = getPlacement(user);
        placement && !placement.isAll() &&
        (!first || user->isBeforeInBlock(first)))
      first = user;
  return first ? getPlacement(first).getPartition() : 0;
}

void placeTheRest(ModuleOp module, std::optional<int64_t> partition) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : llvm::reverse(entry.getBody().front()))
      if (!getPlacement(&op) && !isa<ReturnOp>(op))
        setPlacement(&op, partition ? *partition : firstUse(&op),
                     Origin::Propagated);
}

} // namespace smp::passes
