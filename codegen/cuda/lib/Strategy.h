// SPDX-License-Identifier: Apache-2.0
// How groups become kernel functions: a strategy per kind of group.

#ifndef SMP_CODEGEN_CUDA_LIB_STRATEGY_H
#define SMP_CODEGEN_CUDA_LIB_STRATEGY_H

#include "KernelFunction.h"

namespace smp::codegen::cuda {

/// The dialects that kernel functions are of.
void insertKernelDialects(mlir::DialectRegistry &registry);

/// Emits the kernel of `group` as function `symbol` of `module`. Null for a
/// group that plan() refuses.
LaunchShape emitKernel(mlir::ModuleOp module, ir::GroupOp group,
                       llvm::StringRef symbol);

/// How many neighbouring elements a thread takes at a time: 16 bytes of them if
/// ops take them together from their operands; of a row four at most.
int64_t lanesOf(ir::GroupOp group);

/// Whether there are kernels for such groups.
bool hasKernel(ir::Strategy strategy);

// The strategies. Each fills a function.

/// A thread per element of the results, which share a shape. For everything
/// that is pulled from its operands; products of some size go in tiles.
void emitLoopKernel(KernelFunction &kernel);

/// Loops that read an operand along another dimension than they write, by
/// tiles; returns false, emitting nothing, where none is worth it.
bool emitTransposeKernel(KernelFunction &kernel);

/// Stores all results' elements at `at`, once all are computed: a result may
/// lie where an operand does.
void storeElements(KernelFunction &kernel, const Position &at);

/// The product of a loop that is worth tiles; null when there is none.
ir::DotGeneralOp tiledProduct(ir::GroupOp group);
/// A tile of the product's results per block.
void emitProductKernel(KernelFunction &kernel, ir::DotGeneralOp product);

/// Reductions of trailing dimensions, and elementwise ops around them.
void emitRowKernel(KernelFunction &kernel);

/// smp.scan, a thread per line; smp.top_k, a thread per element; scatters, a
/// thread per element of the result.
void emitScanKernel(KernelFunction &kernel);
void emitSortKernel(KernelFunction &kernel);
void emitScatterKernel(KernelFunction &kernel);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_STRATEGY_H
