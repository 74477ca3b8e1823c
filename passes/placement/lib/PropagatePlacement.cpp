// SPDX-License-Identifier: Apache-2.0
#include "PlaceItems.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_PROPAGATEPLACEMENTPASS
#include "smp/passes/placement/Passes.h.inc"

/// An op on every device brings its own copy of what it only reads.
static bool binds(Operation *op, StringAttr variable,
                  const VariableUsers &users) {
  PlacementAttr placement = getPlacement(op);
  return !(placement && placement.isAll()) || users.isAssigned(variable);
}

void propagatePlacement(ModuleOp module) {
  VariableUsers users(module);
  // Variables that some op uses together bind all their users.
  llvm::EquivalenceClasses<StringAttr> classes;
  for (const auto &[variable, ops] : users.users())
    for (Operation *op : ops)
      if (binds(op, variable, users))
        for (StringAttr other : users.variables(op))
          classes.unionSets(variable, other);
  llvm::DenseMap<StringAttr, Operation *> pinOf;
  for (const auto &[variable, ops] : users.users())
    for (Operation *op : ops)
      if (getPlacement(op) && binds(op, variable, users))
        pinOf.try_emplace(classes.getLeaderValue(variable), op);
  for (const auto &[variable, ops] : users.users())
    for (Operation *op : ops)
      if (Operation *pinned =
              pinOf.lookup(classes.getOrInsertLeaderValue(variable)))
        inheritPlacement(pinned, op);
}

namespace {
struct PropagatePlacement
    : impl::PropagatePlacementPassBase<PropagatePlacement> {
  void runOnOperation() override { propagatePlacement(getOperation()); }
};
} // namespace

} // namespace smp::passes
