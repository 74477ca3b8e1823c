// SPDX-License-Identifier: Apache-2.0
// How groups become kernel functions: a strategy per kind of group.

#ifndef SMP_CODEGEN_CPU_STRATEGY_H
#define SMP_CODEGEN_CPU_STRATEGY_H

#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// The dialects that kernel functions are of.
void insertKernelDialects(mlir::DialectRegistry &registry);

/// Emits the kernel of `group` for `level` as function `symbol` of `module`, by
/// the group's strategy.
LaunchShape emitKernel(mlir::ModuleOp module, ir::GroupOp group,
                       llvm::StringRef symbol, const Level &level);

// The strategies. Each fills the functions it makes in `module`.

/// Loops over the elements of the results, which share a shape; lanes along the
/// innermost dimension. For everything that is pulled from its operands.
LaunchShape emitLoopKernel(mlir::ModuleOp module, ir::GroupOp group,
                           llvm::StringRef symbol, const Level &level);

/// Reductions of trailing dimensions, and elementwise ops around them.
LaunchShape emitRowKernel(mlir::ModuleOp module, ir::GroupOp group,
                          llvm::StringRef symbol, const Level &level);

/// Matrix products and convolutions with a packed operand (smp.packed_matmul,
/// smp.packed_conv), and elementwise ops on their result.
LaunchShape emitProductKernel(mlir::ModuleOp module, ir::GroupOp group,
                              llvm::StringRef symbol, const Level &level);

/// smp.depthwise_conv, and elementwise ops on its result.
LaunchShape emitDepthwiseKernel(mlir::ModuleOp module, ir::GroupOp group,
                                llvm::StringRef symbol, const Level &level);

/// smp.concat, smp.pad with a constant, smp.scan, smp.top_k, and scatters, each
/// alone.
LaunchShape emitPadKernel(mlir::ModuleOp module, ir::GroupOp group,
                          llvm::StringRef symbol, const Level &level);
LaunchShape emitConcatKernel(mlir::ModuleOp module, ir::GroupOp group,
                             llvm::StringRef symbol, const Level &level);
LaunchShape emitScanKernel(mlir::ModuleOp module, ir::GroupOp group,
                           llvm::StringRef symbol, const Level &level);
LaunchShape emitSortKernel(mlir::ModuleOp module, ir::GroupOp group,
                           llvm::StringRef symbol, const Level &level);
LaunchShape emitScatterKernel(mlir::ModuleOp module, ir::GroupOp group,
                              llvm::StringRef symbol, const Level &level);

/// smp.statistics.
LaunchShape emitStatisticsKernel(mlir::ModuleOp module, ir::GroupOp group,
                                 llvm::StringRef symbol, const Level &level);

/// smp.pack.
LaunchShape emitPackKernel(mlir::ModuleOp module, ir::GroupOp group,
                           llvm::StringRef symbol, const Level &level);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STRATEGY_H
