// SPDX-License-Identifier: Apache-2.0
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace smp::codegen::cuda {

using Emit = void (*)(KernelFunction &);

/// Null where nothing makes such groups for a target that packs nothing and
/// keeps no composite whole.
static Emit emitterOf(ir::Strategy strategy) {
  switch (strategy) {
  case ir::Strategy::Loop:
  case ir::Strategy::Concat:
  case ir::Strategy::Pad:
    return emitLoopKernel;
  case ir::Strategy::Row:
    return emitRowKernel;
  case ir::Strategy::Scan:
    return emitScanKernel;
  case ir::Strategy::Scatter:
    return emitScatterKernel;
  case ir::Strategy::Sort:
    return emitSortKernel;
  case ir::Strategy::Product:
  case ir::Strategy::Depthwise:
  case ir::Strategy::Pack:
  case ir::Strategy::Whole:
    return nullptr;
  }
  llvm_unreachable("every strategy is one of these");
}

void insertKernelDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
}

static Emit emitterOf(ir::GroupOp group) {
  return hasRows(group)              ? emitRowKernel
         : hasColumns(group)         ? emitColumnKernel
         : sharedArgReduction(group) ? emitArgRowKernel
                                     : emitterOf(group.getStrategy());
}

bool hasKernel(ir::Strategy strategy) { return emitterOf(strategy) != nullptr; }

FailureOr<KernelPlan> planKernel(ir::GroupOp group) {
  switch (group.getStrategy()) {
  case ir::Strategy::Sort:
    return planSort(group);
  case ir::Strategy::Scatter:
    return planScatter(group);
  default:
    return hasRows(group)      ? planRows(group)
           : hasColumns(group) ? planColumns(group)
                               : planProducts(group);
  }
}

LaunchShape emitKernel(ModuleOp module, ir::GroupOp group,
                       const KernelPlan &plan, unsigned part,
                       StringRef symbol) {
  const std::vector<Product> split = splitProducts(group);
  if (part < split.size()) {
    KernelFunction kernel(module, group, plan, part, symbol,
                          lanesOf(split[part]));
    emitProductParts(kernel, split[part]);
    return kernel.finish();
  }
  if (std::optional<Product> product = tiledProduct(group)) {
    KernelFunction kernel(module, group, plan, part, symbol, lanesOf(*product));
    emitProductKernel(kernel, *product);
    return kernel.finish();
  }
  KernelFunction kernel(module, group, plan, part, symbol, lanesOf(group));
  joinProductParts(kernel, split);
  emitterOf(group)(kernel);
  return kernel.finish();
}

} // namespace smp::codegen::cuda
