// SPDX-License-Identifier: Apache-2.0
// How groups become kernel functions: a strategy per kind of group.

#ifndef SMP_CODEGEN_CUDA_LIB_STRATEGY_H
#define SMP_CODEGEN_CUDA_LIB_STRATEGY_H

#include "KernelFunction.h"
#include "Product.h"

namespace smp::codegen::cuda {

/// The dialects that kernel functions are of.
void insertKernelDialects(mlir::DialectRegistry &registry);

/// The launches of a group of a strategy that there are kernels for. Emits an
/// error for what is too large for them.
mlir::FailureOr<KernelPlan> planKernel(ir::GroupOp group);

/// Emits launch number `part` of the group's plan as function `symbol` of
/// `module`.
LaunchShape emitKernel(mlir::ModuleOp module, ir::GroupOp group,
                       const KernelPlan &plan, unsigned part,
                       llvm::StringRef symbol);

/// How many neighbouring elements a thread takes at a time: 16 bytes of them if
/// ops take them together from their operands; of a row that is reduced four at
/// most.
int64_t lanesOf(ir::GroupOp group);

/// Whether there are kernels for such groups.
bool hasKernel(ir::Strategy strategy);

// The strategies. Each fills a function.

/// A thread per element of the results, which share a shape. For everything
/// that is pulled from its operands.
void emitLoopKernel(KernelFunction &kernel);

/// Loops that read an operand along another dimension than they write, by
/// tiles; returns false, emitting nothing, where none is worth it.
bool emitTransposeKernel(KernelFunction &kernel);

/// Stores all results' elements at `at`, once all are computed: a result may
/// lie where an operand does.
void storeElements(KernelFunction &kernel, const Position &at);

/// The product of a group that is worth tiles, and is not summed in parts; none
/// when there is none.
std::optional<Product> tiledProduct(ir::GroupOp group);
/// How many neighbouring elements a thread of its kernel takes at a time.
int64_t lanesOf(const Product &product);
/// A tile of the product's results per block, or of those of a part.
void emitProductKernel(KernelFunction &kernel, const Product &product);

/// The products of a group whose depth is summed in parts, each by a launch
/// before the group's last one.
std::vector<Product> splitProducts(ir::GroupOp group);
KernelPlan planProducts(ir::GroupOp group);
/// The launch of one: makes the sums of its parts.
void emitProductParts(KernelFunction &kernel, const Product &product);
/// Where the sum of a part is in what that launch makes; `at`: the result.
Index placeOfPart(const Product &product, const Index &part,
                  const Position &at);
/// Says what elements of these products are, in the last launch, which borrows
/// them.
void joinProductParts(KernelFunction &kernel, llvm::ArrayRef<Product> products);

/// Reductions of trailing dimensions, and elementwise ops around them.
void emitRowKernel(KernelFunction &kernel);

/// smp.scan, a thread per line.
void emitScanKernel(KernelFunction &kernel);

/// Scatters: where updates are many they are sorted by the rows that they fall
/// on, in launches before the one that makes the result.
KernelPlan planScatter(ir::GroupOp group);
void emitScatterKernel(KernelFunction &kernel);

/// smp.top_k: sorts lines, those that no block holds in several launches.
mlir::FailureOr<KernelPlan> planSort(ir::GroupOp group);
void emitSortKernel(KernelFunction &kernel);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_STRATEGY_H
