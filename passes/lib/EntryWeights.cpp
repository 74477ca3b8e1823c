// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/EntryWeights.h"
#include "smp/ir/Costs.h"
#include "smp/ir/Placement.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

static bool isTrained(EntryOp entry) {
  return llvm::any_of(entry.getBody().front(), [](Operation &op) {
    return getPhase(&op) == Unit::BackwardInput;
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
