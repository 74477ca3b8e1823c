// SPDX-License-Identifier: Apache-2.0
#include "KernelTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "smp/codegen/export/Passes.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace smp::codegen {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "smp/codegen/export/Passes.h.inc"

namespace {

/// Adds the functions of a group's launches, with how each is launched.
LogicalResult emit(ModuleOp code, const PlannedGroup &planned,
                   StringRef level) {
  const KernelSource source = sourceOf(planned, level);
  auto launches = planned.target->emit(code, source, level);
  if (failed(launches))
    return failure();
  Builder b(code);
  for (auto [symbol, launch] : llvm::zip(source.symbols, *launches)) {
    Operation *function = code.lookupSymbol(symbol);
    function->setAttr("smp.grid",
                      b.getDenseI64ArrayAttr(SmallVector<int64_t>(
                          std::begin(launch.grid), std::end(launch.grid))));
    function->setAttr("smp.scratch_bytes",
                      b.getI64IntegerAttr(int64_t(launch.scratchBytes)));
    if (launch.blocks)
      function->setAttr("smp.fault_records",
                        b.getI64IntegerAttr(launch.blocks->faultRecords));
  }
  return success();
}

struct EmitKernels : impl::EmitKernelsPassBase<EmitKernels> {
  using EmitKernelsPassBase::EmitKernelsPassBase;

  /// The last time that dialects may be loaded.
  LogicalResult initialize(MLIRContext *context) override {
    const TargetRegistry *known = TargetRegistry::of(context);
    if (const Target *made = known ? known->find(target) : nullptr)
      made->loadDialects(context);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<const Target *> made = findTarget(module, target);
    if (failed(made) || failed(checkLevel(**made)))
      return signalPassFailure();
    module->setAttr(
        ir::kTargetsAttr,
        Builder(module).getArrayAttr((*made)->traits(module.getContext())));
    KernelTable kernels(&getContext());
    WalkResult added = module.walk([&](ir::GroupOp group) {
      return needsLaunch(group) && failed(kernels.add(group))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (added.wasInterrupted())
      return signalPassFailure();
    OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
    for (const PlannedGroup &group : kernels.groups())
      if (failed(emit(*code, group, level)))
        return signalPassFailure();
    module.getBodyRegion().takeBody(code->getBodyRegion());
  }

private:
  LogicalResult checkLevel(const Target &made) {
    if (llvm::is_contained(made.levels(), level))
      return success();
    return getOperation().emitError()
           << "target " << made.name() << " has no level '" << level
           << "'; it has " << llvm::join(made.levels(), " ");
  }
};

} // namespace
} // namespace smp::codegen
