// SPDX-License-Identifier: Apache-2.0
// Statistics of a block of a value, by a function that all kernels compiled
// together share.

#ifndef SMP_CODEGEN_CPU_STATISTICSBLOCK_H
#define SMP_CODEGEN_CPU_STATISTICSBLOCK_H

#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// The function of the memory of elements, the memory of their records, the
/// number of a block of them, and how many elements there are in all.
mlir::func::FuncOp statisticsFunction(mlir::ModuleOp module, mlir::Location loc,
                                      mlir::Type element, const Level &level);

/// Calls it for a block of all elements in `memory`, which are of type
/// `element`.
void emitStatisticsOfBlock(ElementEmitter &emitter, mlir::func::FuncOp function,
                           mlir::Value memory, mlir::Value records,
                           const Index &block, int64_t elements);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSBLOCK_H
