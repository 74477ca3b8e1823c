// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/model/Config.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_CHECKANNOTATIONSPASS
#include "smp/passes/placement/Passes.h.inc"

namespace {

struct CheckAnnotations : impl::CheckAnnotationsPassBase<CheckAnnotations> {
  using CheckAnnotationsPassBase::CheckAnnotationsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (numPartitions < 0 || numPartitions > kMostPartitions) {
      module.emitError() << "partitions is " << int64_t(numPartitions)
                         << "; it must be a positive integer, at most "
                         << kMostPartitions;
      return signalPassFailure();
    }
    if (numPartitions > 0)
      module->setAttr(kPartitionsAttr,
                      Builder(module).getI64IntegerAttr(numPartitions));
    if (ignorePins)
      return;
    int64_t partitions = getNumPartitions(module);
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : entry.getBody().front())
        checkRange(&op, partitions);
    if (isSound)
      checkSharing(module);
    if (!isSound)
      signalPassFailure();
  }

private:
  void checkRange(Operation *op, int64_t partitions) {
    PlacementAttr pin = getPlacement(op);
    if (!pin || pin.isAll() || pin.getPartition() < partitions)
      return;
    isSound = false;
    op->emitError() << describe(op) << " is pinned to partition "
                    << pin.getPartition() << ", but there are " << partitions
                    << " (0.." << partitions - 1
                    << "); pin it to one of them or "
                    << "compile for at least " << pin.getPartition() + 1;
  }

  void checkSharing(ModuleOp module) {
    VariableUsers users(module);
    for (const auto &[variable, ops] : users.users()) {
      Operation *first = nullptr;
      for (Operation *op : ops) {
        PlacementAttr pin = getPlacement(op);
        if (!pin || pin.isAll())
          continue;
        if (!first)
          first = op;
        else if (pin.getPartition() != getPlacement(first).getPartition())
          reportSplit(variable, first, op);
      }
    }
  }

  void reportSplit(StringAttr variable, Operation *first, Operation *second) {
    isSound = false;
    InFlightDiagnostic error = second->emitError();
    error << describe(second) << " is pinned to partition "
          << getPlacement(second).getPartition() << " and " << describe(first)
          << " to partition " << getPlacement(first).getPartition()
          << ", but both use the variable '" << variable.getValue()
          << "'; ops that share a variable stay on one partition";
    error.attachNote(first->getLoc()) << describe(first) << " is here";
  }

  bool isSound = true;
};

} // namespace
} // namespace smp::passes
