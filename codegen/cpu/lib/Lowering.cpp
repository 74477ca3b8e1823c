// SPDX-License-Identifier: Apache-2.0
// Kernel functions to the LLVM dialect, and the kernel ABI around them.

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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/cpu/KernelFunction.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/codegen/target/Llvm.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Adds the function of kernel ABI `symbol` that calls `body` with the buffers
/// and the tile coordinates unpacked.
static void addAbiFunction(LLVM::LLVMFuncOp body, StringRef symbol,
                           int64_t numBuffers) {
  OpBuilder b(body);
  Location loc = body.getLoc();
  MLIRContext *context = body.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i32, i32, i32});
  auto function = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  // smp_kernel_args: buffers, scratch, fault.
  auto field = [&](Value base, int32_t index) -> Value {
    Value at = LLVM::GEPOp::create(b, loc, pointer, pointer, base,
                                   ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(b, loc, pointer, at);
  };
  Value args = entry->getArgument(0);
  Value buffers = field(args, 0);
  SmallVector<Value> operands;
  for (int64_t i = 0; i < numBuffers; ++i)
    operands.push_back(field(buffers, int32_t(i)));
  operands.push_back(field(args, 1));
  operands.push_back(field(args, 2));
  for (unsigned dim = 0; dim < 3; ++dim)
    operands.push_back(
        LLVM::ZExtOp::create(b, loc, i64, entry->getArgument(1 + dim)));
  LLVM::CallOp::create(b, loc, body, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

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
    auto numBuffers = kernel->getAttrOfType<IntegerAttr>(kKernelAttr);
    if (numBuffers || kernel.isPrivate())
      kernel.setLinkage(LLVM::Linkage::Internal);
    if (!numBuffers)
      continue;
    std::string symbol = kernel.getSymName().str();
    kernel.setSymName(symbol + ".body");
    addAbiFunction(kernel, symbol, numBuffers.getInt());
    kernel->removeAttr(kKernelAttr);
  }
  for (LLVM::LLVMFuncOp function : module.getOps<LLVM::LLVMFuncOp>())
    setKernelAttributes(function);
  return success();
}

} // namespace smp::codegen::cpu
