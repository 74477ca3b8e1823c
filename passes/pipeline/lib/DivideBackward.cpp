// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/passes/pipeline/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_DIVIDEBACKWARDPASS
#include "smp/passes/pipeline/Passes.h.inc"

namespace {

struct DivideBackward : impl::DivideBackwardPassBase<DivideBackward> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>())
      if (llvm::any_of(entry.getBody().front(), [](Operation &op) {
            return getPhase(&op) == Unit::BackwardInput;
          }))
        entry->setAttr(kDividesBackwardAttr,
                       mlir::UnitAttr::get(&getContext()));
  }
};

} // namespace
} // namespace smp::passes
