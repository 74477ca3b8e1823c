// SPDX-License-Identifier: Apache-2.0
// A lowered module to an object file for one level.

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/target/Llvm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace smp::codegen::cpu {

static constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

static std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const Level &level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // Full-width vectors are what the kernels are written in.
  StringRef features = level.vectorBytes == 64 ? "-prefer-256-bit" : "";
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, level.cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

FailureOr<SmallVector<char, 0>> compileObject(ModuleOp module,
                                              const Level &level) {
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(level);
  if (!machine)
    return module.emitError() << "LLVM has no target for " << kTriple;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  translated->setTargetTriple(llvm::Triple(kTriple));
  translated->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *translated)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", level.cpu);
      function.addFnAttr("target-features", machine->getTargetFeatureString());
    }
  optimize(*translated, *machine);
  if (failed(refuseFastMath(module, *translated)))
    return failure();
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError() << "LLVM cannot write objects for " << kTriple;
  emit.run(*translated);
  return object;
}

} // namespace smp::codegen::cpu
