// SPDX-License-Identifier: Apache-2.0
// Kernel functions to the LLVM dialect, as entries of PTX.

#include "KernelFunction.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/cuda/Ptx.h"
#include "smp/codegen/target/ConvertToLlvm.h"
#include "smp/codegen/target/Llvm.h"
#include "smp/model/Alignment.h"

using namespace mlir;

namespace smp::codegen::cuda {

void loadLoweringDialects(MLIRContext *context) {
  PassManager passes(context);
  addPassesToBranches(passes);
  DialectRegistry registry;
  insertKernelDialects(registry);
  loadDialects(context, passes, registry);
}

namespace {
/// Whether any lane is set, one after the other: LLVM would make bits of a
/// number of them.
struct AnyLane : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op,
                                PatternRewriter &b) const override {
    VectorType type = op.getSourceVectorType();
    if (op.getKind() != vector::CombiningKind::OR || op.getAcc() ||
        !type.getElementType().isInteger(1))
      return failure();
    auto lane = [&](int64_t number) -> Value {
      return vector::ExtractOp::create(b, op.getLoc(), op.getVector(), number);
    };
    Value any = lane(0);
    for (int64_t i = 1; i < type.getNumElements(); ++i)
      any = arith::OrIOp::create(b, op.getLoc(), any, lane(i));
    b.replaceOp(op, any);
    return success();
  }
};
} // namespace

/// Of a loop: attributes of this prefix follow it to its branch.
static constexpr StringLiteral kLoopAttr = "llvm.loop_annotation";

static void keepLoops(ModuleOp module) {
  MLIRContext *context = module.getContext();
  auto unrolling = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unrolling, {}, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {});
  module.walk([&](scf::ForOp loop) {
    if (loop->removeDiscardableAttr(kKeptLoopAttr))
      loop->setDiscardableAttr(kLoopAttr, annotation);
  });
}

/// What is said of a loop moves to where LLVM looks for it.
static void annotateLoops(ModuleOp module) {
  module.walk([](LLVM::BrOp branch) {
    if (Attribute said = branch->removeDiscardableAttr(kLoopAttr))
      branch.setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(said));
  });
}

/// Gives a function of buffers what entries have.
static void makeEntry(LLVM::LLVMFuncOp function) {
  OpBuilder b(function);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    function->removeAttr(kThreadsAttr));
  function->removeAttr(kKernelAttr);
  function->removeAttr(kIndexBitsAttr);
  function->removeAttr(kHasExtremesAttr);
  // Nothing may become a call of memcpy or memset.
  function.setPassthroughAttr(b.getStrArrayAttr({"no-builtins", "nounwind"}));
}

LogicalResult lowerKernels(ModuleOp module) {
  unsigned indexBits = 32;
  for (auto function : module.getOps<func::FuncOp>())
    indexBits = std::max(
        indexBits,
        unsigned(
            function->getAttrOfType<IntegerAttr>(kIndexBitsAttr).getInt()));
  PassManager passes(module.getContext());
  addPassesToBranches(passes);
  keepLoops(module);
  LLVMConversionTarget target(*module.getContext());
  target.addLegalDialect<NVVM::NVVMDialect>();
  RewritePatternSet patterns(module.getContext());
  patterns.add<AnyLane>(module.getContext(), /*benefit=*/2);
  if (failed(runPasses(passes, module)) ||
      failed(convertToLlvm(module, indexBits, target, std::move(patterns))))
    return failure();
  annotateLoops(module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    makeEntry(function);
  PassManager clean(module.getContext());
  clean.addPass(createCSEPass());
  return runPasses(clean, module);
}

} // namespace smp::codegen::cuda
