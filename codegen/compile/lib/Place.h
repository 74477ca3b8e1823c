// SPDX-License-Identifier: Apache-2.0
// Placing a module within its memory limit.

#ifndef SMP_COMPILE_LIB_PLACE_H
#define SMP_COMPILE_LIB_PLACE_H

#include "PrepareModel.h"

namespace smp::compile {

/// buildLadder(), and a reproducer of what fails, if the options name one.
void setUpLadder(mlir::PassManager &lowering, const CompileOptions &options);

/// Places every op, as `request` says, within its memory limit if it has one
/// (passes::placeWithinLimit).
mlir::LogicalResult placeModule(mlir::ModuleOp module,
                                const ir::WeightStore &weights,
                                const passes::CostModel &model,
                                const CompileOptions &options,
                                const passes::PlacementRequest &request);

/// Decides how a model is run (passes::planAutomatically), and which of several
/// is: places its items, says so to the plan's stream, and makes the request
/// and the options those that placeModule() and what follows need. Gives the
/// number of the model.
mlir::FailureOr<size_t> planModels(llvm::ArrayRef<PreparedModel> models,
                                   CompileOptions &options,
                                   passes::PlacementRequest &request);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_PLACE_H
