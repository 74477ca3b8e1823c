// SPDX-License-Identifier: Apache-2.0
// What one stage takes.

#ifndef SMP_PASSES_PLANNING_LIB_STAGENEEDS_H
#define SMP_PASSES_PLANNING_LIB_STAGENEEDS_H

#include "smp/passes/planning/FlowGraph.h"
#include <set>

namespace smp::passes {

struct StageNeeds {
  int64_t arenaBytes = 0;
  double seconds = 0; ///< Of one run.
  /// What its kernels read or write.
  std::set<uint32_t> variables, prepared, constants;
  std::set<uint32_t> assigned; ///< Variables.
};

/// Of the stage of the ops `members`, in order, with `sources` where they need
/// them, that gives `outputs`. What leaves the stage has a kernel that writes
/// it, as smp-materialize-results sees to it; the rest is in its arena.
StageNeeds needsOf(const FlowGraph &graph, const std::vector<bool> &sources,
                   const std::vector<uint32_t> &members,
                   const std::vector<uint32_t> &outputs);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_STAGENEEDS_H
