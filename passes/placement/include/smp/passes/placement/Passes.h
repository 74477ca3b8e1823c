// SPDX-License-Identifier: Apache-2.0
// Passes that decide on which partition each op is.

#ifndef SMP_PASSES_PLACEMENT_PASSES_H
#define SMP_PASSES_PLACEMENT_PASSES_H

#include "mlir/Pass/Pass.h"
#include "smp/model/Config.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PartitionMode.h"
#include "smp/passes/placement/PlacementRequest.h"
#include "smp/passes/planning/LimitSearch.h"
#include <memory>

namespace smp::passes {

#define GEN_PASS_DECL
#include "smp/passes/placement/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smp/passes/placement/Passes.h.inc"

/// Every op gets a placement: pins are checked and propagated, the rest is
/// decided by what `model` predicts, the result verified. `model` must live as
/// long as the passes. A search says how the solver is asked.
void buildPlacementPipeline(mlir::OpPassManager &manager,
                            const PlacementRequest &request,
                            const CostModel &model);
void buildPlacementPipeline(mlir::OpPassManager &manager,
                            const PlacementRequest &request,
                            const CostModel &model,
                            const PlacementTrial &trial);

/// smp-partition for a machine; `model` must live as long as the pass.
std::unique_ptr<mlir::Pass> createPartitionPass(const PlacementRequest &request,
                                                const PlacementTrial &trial,
                                                const CostModel &model);

/// Makes `smp-place` known to smp-opt.
void registerPlacementPipeline();

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PASSES_H
