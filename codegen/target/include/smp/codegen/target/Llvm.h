// SPDX-License-Identifier: Apache-2.0
// Steps on LLVM IR that targets share.

#ifndef SMP_CODEGEN_TARGET_LLVM_H
#define SMP_CODEGEN_TARGET_LLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CodeGen.h"
#include <optional>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class PassManager;
}

namespace smp::codegen {

/// Loads what `passes` and kernels of the dialects in `registry` need: a
/// context must not load a dialect while several threads compile.
void loadDialects(mlir::MLIRContext *context, mlir::PassManager &passes,
                  mlir::DialectRegistry &registry);

/// Verifies the functions of `kernels` on the calling thread, then runs
/// `passes` on them and trusts those: PassManager would verify after each of
/// them, which takes as long as some passes, on all threads of the context. A
/// thread that waits for those may take up whatever else they have to do, and
/// then compiles one kernel after another while the others are idle.
mlir::LogicalResult runPasses(mlir::PassManager &passes,
                              mlir::ModuleOp kernels);

/// A machine of a registered backend that generates its best code. Emits an
/// error at `where`, and returns null, if LLVM was built without it.
std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(mlir::Operation *where, llvm::StringRef triple,
                  llvm::StringRef cpu, llvm::StringRef features,
                  std::optional<llvm::Reloc::Model> relocation = {});

/// Optimizes kernels. They are vectorised where they are emitted, not here.
/// `passes` are some that suffice, as LLVM's PassBuilder reads them; by default
/// all that LLVM has for code that it knows nothing of.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::StringRef passes = {});

/// Emits an error at `where` if an instruction has a fast-math flag.
mlir::LogicalResult refuseFastMath(mlir::Operation *where,
                                   llvm::Module &module);

/// The machine's code for the module, as an object or as text. Emits an error
/// at `where` if the machine cannot write such.
mlir::FailureOr<llvm::SmallVector<char, 0>>
generateCode(mlir::Operation *where, llvm::Module &module,
             llvm::TargetMachine &machine, llvm::CodeGenFileType type);

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_LLVM_H
