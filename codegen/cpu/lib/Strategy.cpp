// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace smp::codegen::cpu {

using Emit = LaunchShape (*)(ModuleOp, ir::GroupOp, StringRef, const Level &);

static Emit emitterOf(ir::Strategy strategy) {
  switch (strategy) {
  case ir::Strategy::Loop:
    return emitLoopKernel;
  case ir::Strategy::Row:
    return emitRowKernel;
  case ir::Strategy::Product:
    return emitProductKernel;
  case ir::Strategy::Depthwise:
    return emitDepthwiseKernel;
  case ir::Strategy::Pack:
    return emitPackKernel;
  case ir::Strategy::Concat:
    return emitConcatKernel;
  case ir::Strategy::Pad:
    return emitPadKernel;
  case ir::Strategy::Scan:
    return emitScanKernel;
  case ir::Strategy::Scatter:
    return emitScatterKernel;
  case ir::Strategy::Sort:
    return emitSortKernel;
  case ir::Strategy::Whole:
    return emitStatisticsKernel; // The only composite that is kept.
  }
  llvm_unreachable("every strategy is one of these");
}

void insertKernelDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
}

LaunchShape emitKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                       const Level &level) {
  return emitterOf(group.getStrategy())(module, group, symbol, level);
}

} // namespace smp::codegen::cpu
