// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_VERIFYPLACEMENTPASS
#include "smp/passes/placement/Passes.h.inc"

namespace {

struct VerifyPlacement : impl::VerifyPlacementPassBase<VerifyPlacement> {
  using VerifyPlacementPassBase::VerifyPlacementPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    partitions = getNumPartitions(module);
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : entry.getBody().front().without_terminator())
        verifyOp(&op);
    if (errors == 0)
      verifySharing(module);
    if (errors > 0)
      signalPassFailure();
  }

private:
  bool wantsMore() const { return errorLimit == 0 || errors < errorLimit; }

  void verifyOp(Operation *op) {
    if (!wantsMore())
      return;
    PlacementAttr placement = getPlacement(op);
    if (!placement) {
      ++errors;
      op->emitOpError("has no placement").attachNote()
          << "run --smp-partition first, or annotate it with "
          << kPlacementAttr;
    } else if (!placement.isAll() && placement.getPartition() >= partitions) {
      ++errors;
      op->emitOpError() << "is on partition " << placement.getPartition()
                        << " of a module for " << partitions;
    }
  }

  void verifySharing(ModuleOp module) {
    VariableUsers users(module);
    for (const auto &[variable, ops] : users.users())
      verifyVariable(variable, ops, users.isAssigned(variable));
  }

  /// An op on every device may read a variable that is never assigned: each
  /// device then has a copy of its own.
  void verifyVariable(StringAttr variable, ArrayRef<Operation *> ops,
                      bool isAssigned) {
    Operation *home = nullptr;
    for (Operation *op : ops) {
      if (!wantsMore())
        return;
      if (getPlacement(op).isAll() && !isAssigned)
        continue;
      if (!home)
        home = op;
      if (getPlacement(op).getPartition() == getPlacement(home).getPartition())
        continue;
      ++errors;
      InFlightDiagnostic error =
          op->emitOpError()
          << "is on " << where(op) << " but shares variable '"
          << variable.getValue() << "' with an op on " << where(home);
      error.attachNote(home->getLoc()) << "the other op: " << describe(home);
    }
  }

  static std::string where(Operation *op) {
    PlacementAttr placement = getPlacement(op);
    return placement.isAll()
               ? "every partition"
               : "partition " + std::to_string(placement.getPartition());
  }

  int64_t partitions = 1;
  unsigned errors = 0;
};

} // namespace
} // namespace smp::passes
