// SPDX-License-Identifier: Apache-2.0
// The question to the solver.

#ifndef SMP_PASSES_PLACEMENT_LIB_ASKPROBLEM_H
#define SMP_PASSES_PLACEMENT_LIB_ASKPROBLEM_H

#include "BuildProblem.h"
#include "smp/passes/planning/LimitSearch.h"

namespace smp::passes {

/// The problem of the module as `request` and `trial` put it.
ModuleProblem askProblem(mlir::ModuleOp module, const CostModel &model,
                         const PlacementRequest &request,
                         const PlacementTrial &trial, bool keepsKernels);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_ASKPROBLEM_H
