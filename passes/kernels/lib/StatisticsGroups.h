// SPDX-License-Identifier: Apache-2.0
// Groups that take statistics, and how they are moved.

#ifndef SMP_PASSES_KERNELS_LIB_STATISTICSGROUPS_H
#define SMP_PASSES_KERNELS_LIB_STATISTICSGROUPS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// The statistics that a group is of alone, or null.
ir::StatisticsOp statisticsOf(mlir::Operation *op);

/// The value and all other names for it: aliases of it, and of these.
llvm::SmallVector<mlir::Value> namesOf(mlir::Value value);

/// Brings other names for a value of the op behind it.
void bringBehind(mlir::Operation *op, mlir::Value value);

} // namespace smp::passes

#endif // SMP_PASSES_KERNELS_LIB_STATISTICSGROUPS_H
