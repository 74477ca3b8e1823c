// SPDX-License-Identifier: Apache-2.0
// Strategy "loop" for a group that takes statistics by the way.

#ifndef SMP_CODEGEN_CPU_WATCHEDLOOP_H
#define SMP_CODEGEN_CPU_WATCHEDLOOP_H

#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// Of a group that goes through its elements in order (ir::isInOrder). A tile
/// is a block of statistics.
LaunchShape emitWatchedLoopKernel(mlir::ModuleOp module, ir::GroupOp group,
                                  llvm::StringRef symbol, const Level &level);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_WATCHEDLOOP_H
