// SPDX-License-Identifier: Apache-2.0
// How groups become kernel functions: a strategy per kind of group.

#ifndef SMP_CODEGEN_CUDA_LIB_STRATEGY_H
#define SMP_CODEGEN_CUDA_LIB_STRATEGY_H

#include "KernelFunction.h"

namespace smp::codegen::cuda {

/// The dialects that kernel functions are of.
void insertKernelDialects(mlir::DialectRegistry &registry);

/// The launches of a group that there are kernels for.
KernelPlan planKernel(ir::GroupOp group);

/// Emits launch number `part` of the group's plan as function `symbol` of
/// `module`.
LaunchShape emitKernel(mlir::ModuleOp module, ir::GroupOp group,
                       const KernelPlan &plan, unsigned part,
                       llvm::StringRef symbol);

/// Whether there are kernels for such groups.
bool hasKernel(ir::Strategy strategy);

// The strategies. Each fills a function.

/// A thread per element of the results, which share a shape. For everything
/// that is pulled from its operands; products of some size go in tiles.
void emitLoopKernel(KernelFunction &kernel);

/// Stores all results' elements at `at`, once all are computed: a result may
/// lie where an operand does.
void storeElements(KernelFunction &kernel, const Position &at);

/// The product of a loop that is worth tiles; null when there is none.
ir::DotGeneralOp tiledProduct(ir::GroupOp group);
/// A tile of the product's results per block.
void emitProductKernel(KernelFunction &kernel, ir::DotGeneralOp product);

/// Reductions of trailing dimensions, and elementwise ops around them.
void emitRowKernel(KernelFunction &kernel);

/// smp.scan, a thread per line.
void emitScanKernel(KernelFunction &kernel);

/// Scatters: where updates are many they are sorted by the rows that they fall
/// on, in launches before the one that makes the result.
KernelPlan planScatter(ir::GroupOp group);
void emitScatterKernel(KernelFunction &kernel);

/// smp.top_k: sorts lines, those that no block holds in several launches.
KernelPlan planSort(ir::GroupOp group);
void emitSortKernel(KernelFunction &kernel);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_STRATEGY_H
