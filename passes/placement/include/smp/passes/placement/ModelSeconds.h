// SPDX-License-Identifier: Apache-2.0
// What ops of a model take, as parts of the kernels that will compute them.

#ifndef SMP_PASSES_PLACEMENT_MODELSECONDS_H
#define SMP_PASSES_PLACEMENT_MODELSECONDS_H

#include "mlir/IR/OwningOpRef.h"
#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"

namespace smp::passes {

/// Says of each op of the entries what a run of it takes (kSecondsAttr), for
/// the placement that follows. Kernels are those that the module has on one
/// partition, and take what `model` says; of each, its ops have parts as large
/// as a roofline's of them. `lowered` is a numberedCopy() of the module,
/// lowered. On failure an error has been emitted.
mlir::LogicalResult assignSeconds(mlir::ModuleOp module,
                                  mlir::OwningOpRef<mlir::ModuleOp> lowered,
                                  const CostModel &model);

/// Forgets it again.
void removeSeconds(mlir::ModuleOp module);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_MODELSECONDS_H
