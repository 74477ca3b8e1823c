// SPDX-License-Identifier: Apache-2.0
// Kernel functions to the LLVM dialect, and the kernel ABI around them.

#include "AbiFunctions.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/cpu/KernelFunction.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/codegen/target/Llvm.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Kernels allocate nothing and call nothing, so that no loop may become a call
/// of memcpy or memset.
static void setKernelAttributes(LLVM::LLVMFuncOp function) {
  OpBuilder b(function);
  function.setPassthroughAttr(b.getStrArrayAttr({"no-builtins", "nounwind"}));
}

static void buildPipeline(PassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(arith::createArithExpandOpsPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(functions));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCSEPass());
}

void loadLoweringDialects(MLIRContext *context) {
  PassManager passes(context);
  buildPipeline(passes);
  DialectRegistry registry;
  insertKernelDialects(registry);
  loadDialects(context, passes, registry);
}

LogicalResult lowerKernels(ModuleOp module) {
  PassManager passes(module.getContext());
  buildPipeline(passes);
  if (failed(passes.run(module)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> kernels(module.getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp kernel : kernels) {
    if (auto numBuffers = kernel->getAttrOfType<IntegerAttr>(kKernelAttr)) {
      addAbiFunction(kernel, numBuffers.getInt());
      kernel->removeAttr(kKernelAttr);
    } else if (kernel->hasAttr(kSourcesAttr)) {
      addSearchFunction(kernel);
    } else if (kernel.isPrivate()) {
      kernel.setLinkage(LLVM::Linkage::Internal);
    }
  }
  for (LLVM::LLVMFuncOp function : module.getOps<LLVM::LLVMFuncOp>())
    setKernelAttributes(function);
  return success();
}

} // namespace smp::codegen::cpu
