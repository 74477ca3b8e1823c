// SPDX-License-Identifier: Apache-2.0
#include "Pins.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

static StringAttr nameOf(Operation *op) {
  return StringAttr::get(op->getContext(), describe(op));
}

/// Calls visit(op, placement) for each op that is not on all partitions.
static void
visitPlaced(ModuleOp module,
            llvm::function_ref<void(Operation *, PlacementAttr)> visit) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front())
      if (PlacementAttr placement = getPlacement(&op);
          placement && !placement.isAll())
        visit(&op, placement);
}

PinsByName pinsOf(ModuleOp module) {
  PinsByName pins;
  visitPlaced(module, [&](Operation *op, PlacementAttr placement) {
    if (placement.isUser())
      pins[nameOf(op)].insert(placement.getPartition());
  });
  return pins;
}

OwningOpRef<ModuleOp> withPins(ModuleOp module,
                               llvm::function_ref<bool(StringAttr)> isKept) {
  OwningOpRef<ModuleOp> copy = module.clone();
  visitPlaced(*copy, [&](Operation *op, PlacementAttr placement) {
    if (!placement.isUser() || !isKept(nameOf(op)))
      op->removeAttr(kPlacementAttr);
  });
  PassManager passes(module.getContext());
  passes.addPass(createPropagatePlacementPass());
  if (failed(passes.run(*copy)))
    return nullptr;
  return copy;
}

} // namespace smp::passes
