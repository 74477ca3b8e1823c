// SPDX-License-Identifier: Apache-2.0
#include "KernelTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/codegen/export/Passes.h"

using namespace mlir;

namespace smp::codegen {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "smp/codegen/export/Passes.h.inc"

namespace {

struct EmitKernels : impl::EmitKernelsPassBase<EmitKernels> {
  using EmitKernelsPassBase::EmitKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    cpu::insertKernelDialects(registry);
  }

  void runOnOperation() override {
    const cpu::Level *known = findLevel();
    if (!known)
      return signalPassFailure();
    ModuleOp module = getOperation();
    KernelTable kernels(&getContext());
    module.walk([&](ir::GroupOp group) {
      if (needsLaunch(group))
        kernels.add(group);
    });
    OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
    for (auto [number, group] : llvm::enumerate(kernels.kernels()))
      emit(*code, group, symbolOf(number, known->name), *known);
    module.getBodyRegion().takeBody(code->getBodyRegion());
  }

private:
  const cpu::Level *findLevel() {
    if (target != "cpu") {
      getOperation().emitError()
          << "there is no target '" << target << "'; there is cpu";
      return nullptr;
    }
    for (const cpu::Level &known : cpu::levels())
      if (known.name == level)
        return &known;
    InFlightDiagnostic error = getOperation().emitError()
                               << "target cpu has no level '" << level
                               << "'; it has";
    for (const cpu::Level &known : cpu::levels())
      error << " " << known.name;
    return nullptr;
  }

  static void emit(ModuleOp code, ir::GroupOp group, StringRef symbol,
                   const cpu::Level &level) {
    const cpu::LaunchShape launch = cpu::emitKernel(code, group, symbol, level);
    Builder b(code);
    auto function = code.lookupSymbol<func::FuncOp>(symbol);
    function->setAttr("smp.grid",
                      b.getDenseI64ArrayAttr(SmallVector<int64_t>(
                          std::begin(launch.grid), std::end(launch.grid))));
    function->setAttr("smp.scratch_bytes",
                      b.getI64IntegerAttr(int64_t(launch.scratchBytes)));
  }
};

} // namespace
} // namespace smp::codegen
