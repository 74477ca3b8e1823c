// SPDX-License-Identifier: Apache-2.0
// The functions of the kernel ABI (smp/model/KernelAbi.h), which call what
// strategies emit.

#ifndef SMP_CODEGEN_CPU_ABIFUNCTIONS_H
#define SMP_CODEGEN_CPU_ABIFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace smp::codegen::cpu {

/// Makes `kernel`, a function of buffers, scratch, fault record and tile
/// coordinates, internal, and adds the one of its name that unpacks them.
void addAbiFunction(mlir::LLVM::LLVMFuncOp kernel, int64_t numBuffers);

/// Replaces `kernel`, a declaration with kSourcesAttr and kBodyAttr, by the
/// function that finds the source of a tile in a table, by halves: its code is
/// as large for one source as for a hundred.
void addSearchFunction(mlir::LLVM::LLVMFuncOp kernel);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_ABIFUNCTIONS_H
