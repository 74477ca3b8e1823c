// SPDX-License-Identifier: Apache-2.0
// Steps on LLVM IR that targets share.

#ifndef SMP_CODEGEN_TARGET_LLVM_H
#define SMP_CODEGEN_TARGET_LLVM_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace smp::codegen {

/// Optimizes kernels. They are vectorised where they are emitted, not here.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Emits an error at `where` if an instruction has a fast-math flag.
mlir::LogicalResult refuseFastMath(mlir::Operation *where,
                                   llvm::Module &module);

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_LLVM_H
