// SPDX-License-Identifier: Apache-2.0
// Lowered modules to PTX, by LLVM's NVPTX backend in process.

#include "smp/codegen/cuda/Ptx.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "smp/codegen/target/Llvm.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace smp::codegen::cuda {

static std::unique_ptr<llvm::TargetMachine> makeMachine(Operation *where,
                                                        StringRef level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  // The oldest ISA that has what kernels use, so that older drivers read it.
  return makeTargetMachine(where, "nvptx64-nvidia-cuda", level, "+ptx80");
}

/// All modules as one; null, with an error, where one cannot be translated.
static std::unique_ptr<llvm::Module>
translate(ArrayRef<ModuleOp> modules, llvm::LLVMContext &context,
          const llvm::TargetMachine &machine) {
  auto all = std::make_unique<llvm::Module>("kernels", context);
  all->setTargetTriple(machine.getTargetTriple());
  all->setDataLayout(machine.createDataLayout());
  for (ModuleOp module : modules) {
    std::unique_ptr<llvm::Module> translated =
        translateModuleToLLVMIR(module, context);
    if (!translated)
      return nullptr;
    translated->setTargetTriple(all->getTargetTriple());
    translated->setDataLayout(all->getDataLayout());
    if (llvm::Linker::linkModules(*all, std::move(translated))) {
      module.emitError() << "cannot be linked to other kernels";
      return nullptr;
    }
  }
  return all;
}

/// The backend takes `y < 64 ? x << y : 0` for one shl.b64, which clamps what
/// it shifts by, and cuts y to 32 bits for it: 2^32 would shift by 0. What it
/// shifts by is made another value than what is compared.
static void boundShifts(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      llvm::Type *type = instruction.getType();
      if (!instruction.isShift() || !type->isIntOrIntVectorTy(64) ||
          llvm::isa<llvm::Constant>(instruction.getOperand(1)))
        continue;
      llvm::IRBuilder<> b(&instruction);
      instruction.setOperand(
          1, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                     instruction.getOperand(1),
                                     llvm::ConstantInt::get(type, 63)));
    }
}

FailureOr<std::string> compilePtx(ArrayRef<ModuleOp> modules, StringRef level) {
  ModuleOp first = modules.front();
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(first, level);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translate(modules, context, *machine);
  if (!module)
    return failure();
  optimize(*module, *machine);
  boundShifts(*module);
  if (failed(refuseFastMath(first, *module)))
    return failure();
  FailureOr<SmallVector<char, 0>> text = generateCode(
      first, *module, *machine, llvm::CodeGenFileType::AssemblyFile);
  if (failed(text))
    return failure();
  std::string ptx(text->begin(), text->end());
  if (std::string fault = checkPtx(ptx); !fault.empty())
    return first.emitError() << "has PTX that kernels must not have: " << fault;
  return ptx;
}

} // namespace smp::codegen::cuda
