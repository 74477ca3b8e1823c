// SPDX-License-Identifier: Apache-2.0
// Which pins leave no placement within a memory limit, by what programs need.

#ifndef SMP_PASSES_PLACEMENT_LIB_BLAMEPINS_H
#define SMP_PASSES_PLACEMENT_LIB_BLAMEPINS_H

#include "OpenPlacement.h"
#include "smp/passes/planning/PlacementSearch.h"

namespace smp::passes {

/// Judges placements of what a module leaves open.
using JudgeOf = llvm::function_ref<PlacementJudge(OpenPlacement &)>;

/// Of a module with whose pins no placement was found within the limit of the
/// request: says which of them are to blame, as few as can be found with four
/// times as many evaluations as searchPlacements() may make. Empty where there
/// is no placement without pins either, or none was found. `isProved`: that
/// there is none with all pins.
std::string blamePins(mlir::ModuleOp module, const PlacementRequest &request,
                      const CostModel &costs, JudgeOf judgeOf, bool isProved);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_BLAMEPINS_H
