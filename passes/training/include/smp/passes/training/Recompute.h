// SPDX-License-Identifier: Apache-2.0
// Computing forward values again in backward work.

#ifndef SMP_PASSES_TRAINING_RECOMPUTE_H
#define SMP_PASSES_TRAINING_RECOMPUTE_H

#include "mlir/IR/BuiltinOps.h"

namespace smp::passes {

/// Does what `smp.recompute` says, as smp-recompute.
void recompute(mlir::ModuleOp module);

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_RECOMPUTE_H
