// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/Llvm.h"
#include "mlir/IR/Operation.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace smp::codegen {

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder passes(&machine, tuning);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// The first instruction with a fast-math flag, or null.
static llvm::Instruction *findFastMath(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction))
        if (math->getFastMathFlags().any())
          return &instruction;
  return nullptr;
}

LogicalResult refuseFastMath(Operation *where, llvm::Module &module) {
  llvm::Instruction *bad = findFastMath(module);
  if (!bad)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << *bad;
  return where->emitError() << "has a fast-math flag in the final IR:" << text;
}

} // namespace smp::codegen
