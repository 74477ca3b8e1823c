// SPDX-License-Identifier: Apache-2.0
// Which of two answers is given.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_PREFERENCE_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_PREFERENCE_H

#include "smp/passes/planning/PartitionSolver.h"
#include <algorithm>

namespace smp::passes {

/// Whether the contiguous answer is taken in place of any: because it is
/// better, or because one stage each is preferred and it is not too much worse.
inline bool isTaken(const PartitionProblem &problem, const Measure &measure,
                    const std::vector<uint32_t> &contiguous,
                    const std::vector<uint32_t> &any) {
  /// What is lower by this factor is better; rounding alone is not.
  constexpr double kBetter = 1 - 1e-12;
  auto cost = [&](const std::vector<uint32_t> &partitionOf) {
    return measure ? measure(partitionOf) : problem.objective(partitionOf);
  };
  const double worth = problem.getContiguity() == Contiguity::Preferred
                           ? std::max(problem.getContiguousWorth(), kBetter)
                           : kBetter;
  return cost(contiguous) <= cost(any) * worth;
}

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_PREFERENCE_H
