// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/EntryWeights.h"
#include "smp/ir/Costs.h"
#include "smp/ir/Placement.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

bool isTrained(EntryOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  return llvm::any_of(entry.getBody().front(), [&](Operation &op) {
    auto run = dyn_cast<RunOp>(op);
    auto stage = run ? module.lookupSymbol<StageOp>(run.getStage()) : StageOp();
    return isBackward(stage ? stage.getUnit() : getPhase(&op));
  });
}

EntryWeights::EntryWeights(ModuleOp module) {
  bool hasTrained = false;
  for (auto entry : module.getOps<EntryOp>())
    hasTrained |= isTrained(entry);
  for (auto entry : module.getOps<EntryOp>()) {
    double weight = !hasTrained || isTrained(entry) ? 1 : 0;
    if (auto said = entry->getAttrOfType<FloatAttr>(kWeightAttr))
      weight = said.getValueAsDouble();
    weights[entry] = std::max(weight, kLeast);
  }
}

} // namespace smp::passes
