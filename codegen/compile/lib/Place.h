// SPDX-License-Identifier: Apache-2.0
// Placing a module within its memory limit.

#ifndef SMP_COMPILE_LIB_PLACE_H
#define SMP_COMPILE_LIB_PLACE_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/compile/Compile.h"

namespace smp::compile {

/// buildLadder(), and a reproducer of what fails, if the options name one.
void setUpLadder(mlir::PassManager &lowering, const CompileOptions &options);

/// Places every op, as `placing` says. Where its memory limit does not hold,
/// activations are computed again: of placements that count more or less of
/// what is kept, the fastest that can be made to fit is taken. What a partition
/// needs is the program's own plan, so that the limit holds exactly. Emits
/// remarks that say what is computed again, or an error that has the bytes.
mlir::LogicalResult placeModule(mlir::ModuleOp module,
                                const ir::WeightStore &weights,
                                const passes::CostModel &model,
                                const CompileOptions &options,
                                passes::PlacementOptions placing);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_PLACE_H
