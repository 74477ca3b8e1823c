// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/Llvm.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace smp::codegen {

void loadDialects(MLIRContext *context, PassManager &passes,
                  DialectRegistry &registry) {
  passes.getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

LogicalResult runPasses(PassManager &passes, ModuleOp kernels) {
  for (Operation &function : *kernels.getBody())
    if (failed(verify(&function)))
      return failure();
  passes.enableVerifier(false);
  return passes.run(kernels);
}

std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(Operation *where, StringRef name, StringRef cpu,
                  StringRef features,
                  std::optional<llvm::Reloc::Model> relocation) {
  llvm::Triple triple(name);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    where->emitError() << "LLVM has no target for " << name;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), relocation, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              StringRef text) {
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
  llvm::ModulePassManager pipeline;
  if (text.empty())
    pipeline =
        passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  else
    llvm::cantFail(passes.parsePassPipeline(pipeline, text));
  pipeline.run(module, modules);
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

FailureOr<SmallVector<char, 0>> generateCode(Operation *where,
                                             llvm::Module &module,
                                             llvm::TargetMachine &machine,
                                             llvm::CodeGenFileType type) {
  SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return where->emitError()
           << "LLVM cannot write "
           << (type == llvm::CodeGenFileType::ObjectFile ? "objects" : "text")
           << " for " << machine.getTargetTriple().str();
  passes.run(module);
  return code;
}

} // namespace smp::codegen
