// SPDX-License-Identifier: Apache-2.0
// Kernel functions to the LLVM dialect.

#ifndef SMP_CODEGEN_TARGET_CONVERTTOLLVM_H
#define SMP_CODEGEN_TARGET_CONVERTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class PassManager;
class RewritePatternSet;
} // namespace mlir

namespace smp::codegen {

/// Adds what every target runs before the conversion: kernels are simplified,
/// and their loops become branches.
void addPassesToBranches(mlir::PassManager &passes);

/// Converts functions of branches, with memory as bare pointers and indices of
/// `indexBits`: all dialects at once, as values have one type in a conversion,
/// and one is faster than one for each. `target` says what may stay beside the
/// LLVM dialect; `patterns` are more of them. Emits an error at what cannot be
/// converted.
mlir::LogicalResult convertToLlvm(mlir::ModuleOp module, unsigned indexBits,
                                  mlir::LLVMConversionTarget &target,
                                  mlir::RewritePatternSet patterns);

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_CONVERTTOLLVM_H
