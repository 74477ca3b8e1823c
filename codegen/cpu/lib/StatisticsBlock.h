// SPDX-License-Identifier: Apache-2.0
// Statistics of a block of a value, by a function that all kernels compiled
// together share.

#ifndef SMP_CODEGEN_CPU_STATISTICSBLOCK_H
#define SMP_CODEGEN_CPU_STATISTICSBLOCK_H

#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// The function of the memory of elements, the memory of all records, the
/// number of a block, how many elements there are in all, and where in memory
/// the block's first one is.
mlir::func::FuncOp statisticsFunction(mlir::ModuleOp module, mlir::Location loc,
                                      mlir::Type element, const Level &level);

/// All elements of a value, in memory, and where their records go.
struct WatchedMemory {
  mlir::Value memory;
  mlir::Type element;
  int64_t elements;
  mlir::Value records;
};

/// Puts the record of a block where it belongs, which begins at `first` of
/// `of.memory`. `states`: memory in which storeStates() has put those of the
/// block's vectors; else they are walked.
void emitStatisticsOfBlock(ElementEmitter &emitter, mlir::ModuleOp module,
                           const Level &level, const WatchedMemory &of,
                           const Index &block, const Index &first,
                           mlir::Value states = {});

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSBLOCK_H
