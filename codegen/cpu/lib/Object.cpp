// SPDX-License-Identifier: Apache-2.0
// A lowered module to an object file for one level.

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/target/Llvm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace smp::codegen::cpu {

static constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

static std::unique_ptr<llvm::TargetMachine> makeMachine(Operation *where,
                                                        const Level &level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  // Full-width vectors are what the kernels are written in.
  StringRef features = level.vectorBytes == 64 ? "-prefer-256-bit" : "";
  return makeTargetMachine(where, kTriple, level.cpu, features,
                           llvm::Reloc::PIC_);
}

/// What shortens the IR of kernels: the rest of LLVM's passes finds little in
/// it, and takes six times as long (docs/benchmarks/cpu.md). Where each element
/// asks whether it is in the padding, unswitching moves that out of the loop.
static constexpr StringLiteral kPasses =
    "cgscc(inline),function(sroa,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-simplify,lcssa,loop-mssa("
    "loop-rotate,licm,simple-loop-unswitch<nontrivial;trivial>),"
    "loop(loop-unroll-full),early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

namespace {
/// Of code generation, leaves out the search for cheaper addresses: where
/// there are none, it takes most of the time.
class WithoutStrengthReduction : public llvm::OptPassGate {
public:
  bool shouldRunPass(StringRef name, StringRef) const override {
    return name != "Loop Strength Reduction";
  }
  bool isEnabled() const override { return true; }
};
} // namespace

FailureOr<SmallVector<char, 0>>
compileObject(ModuleOp module, const Level &level, Addresses addresses) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(module, level);
  if (!machine)
    return failure();
  WithoutStrengthReduction gate;
  llvm::LLVMContext context;
  if (addresses == Addresses::ConstantOffsets)
    context.setOptPassGate(gate);
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
  optimize(*translated, *machine, kPasses);
  if (failed(refuseFastMath(module, *translated)))
    return failure();
  return generateCode(module, *translated, *machine,
                      llvm::CodeGenFileType::ObjectFile);
}

} // namespace smp::codegen::cpu
