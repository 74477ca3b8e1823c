// SPDX-License-Identifier: Apache-2.0
// Kernel functions to the LLVM dialect, and the kernel ABI around them.

#include "AbiFunctions.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/cpu/KernelFunction.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/codegen/target/ConvertToLlvm.h"
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
  addPassesToBranches(passes);
  passes.addPass(createConvertVectorToLLVMPass());
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
  LLVMConversionTarget target(*module.getContext());
  if (failed(runPasses(passes, module)) ||
      failed(convertToLlvm(module, /*indexBits=*/64, target,
                           RewritePatternSet(module.getContext()))))
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
  PassManager clean(module.getContext());
  clean.addPass(createReconcileUnrealizedCastsPass());
  clean.addPass(createCSEPass());
  return runPasses(clean, module);
}

} // namespace smp::codegen::cpu
