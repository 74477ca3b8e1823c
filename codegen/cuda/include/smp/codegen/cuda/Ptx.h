// SPDX-License-Identifier: Apache-2.0
// From kernel functions to PTX.

#ifndef SMP_CODEGEN_CUDA_PTX_H
#define SMP_CODEGEN_CUDA_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace smp::codegen::cuda {

/// Loads every dialect that kernels and lowering meet: a context must not load
/// one while several threads lower.
void loadLoweringDialects(mlir::MLIRContext *context);

/// Lowers a module of kernel functions to the LLVM dialect and makes each an
/// entry: addresses of its buffers, of the fault records and of the workspace.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module);

/// PTX of lowered modules, as one, for `level` ("sm_80"): ISA 8.0, 64-bit
/// addresses. Refuses a fast-math flag in the final IR and what checkPtx()
/// finds. Thread-safe.
mlir::FailureOr<std::string> compilePtx(llvm::ArrayRef<mlir::ModuleOp> modules,
                                        llvm::StringRef level);

/// The first thing in a PTX text that kernels must not have: a call of what is
/// not in it, an instruction that approximates or flushes, arithmetic that is
/// not rounded explicitly (which ptxas would fuse), a sum in memory whose order
/// is that of arrival. Empty when there is none.
std::string checkPtx(llvm::StringRef ptx);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_PTX_H
