// SPDX-License-Identifier: Apache-2.0
// From kernel functions to a loadable image.

#ifndef SMP_CODEGEN_CPU_IMAGE_H
#define SMP_CODEGEN_CPU_IMAGE_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/codegen/cpu/Level.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace smp::codegen::cpu {

/// Loads every dialect that kernels and lowering meet: a context must not load
/// one while several threads lower.
void loadLoweringDialects(mlir::MLIRContext *context);

/// Lowers a module of kernel functions to the LLVM dialect and gives each the
/// kernel ABI (smp/model/KernelAbi.h).
mlir::LogicalResult lowerKernels(mlir::ModuleOp module);

/// How the addresses of kernels are emitted.
enum class Addresses {
  Any,
  ConstantOffsets ///< From a few pointers: there are no cheaper ones.
};

/// Compiles a lowered module for `level` to a relocatable ELF object. Refuses a
/// fast-math flag anywhere in the final IR. Thread-safe.
mlir::FailureOr<llvm::SmallVector<char, 0>>
compileObject(mlir::ModuleOp module, const Level &level,
              Addresses addresses = Addresses::Any);

/// Links objects to one shared object that needs no other and has no undefined
/// symbol. On failure returns nothing and says why in `error`. Thread-safe. The
/// linker resets the llvm::cl options of the process: read them before.
std::optional<std::vector<std::byte>>
linkImage(llvm::ArrayRef<llvm::ArrayRef<char>> objects, std::string &error);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_IMAGE_H
