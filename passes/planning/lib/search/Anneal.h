// SPDX-License-Identifier: Apache-2.0
// Local search that also goes up.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_ANNEAL_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_ANNEAL_H

#include "../problem/Contraction.h"
#include <algorithm>

namespace smp::passes {

struct AnnealOptions {
  uint64_t moves = 0;
  uint64_t seed = 0;
  /// How much worse, as part of the pressure, a move may make things that is
  /// taken once in e times: at first and at last.
  double hot = 0.01, cold = 0.0003;
};

/// Moves are measured by what one partition is of all: among more partitions it
/// is cooler, by this factor.
inline double coolness(const Contraction &problem) {
  const double partitions = problem.partitions.count;
  return std::min(1.0, 49 / (partitions * partitions));
}

/// Makes random moves that keep pins, allowed sets and limits: of one group, of
/// two for each other, of all groups of a net, of a connected piece. What makes
/// things worse is taken now and then, less and less. The placement, which must
/// fit, becomes the best that was met; it is never worse than it was.
/// O(moves * (nets of a group + partitions)).
void anneal(const Contraction &problem, Placement &placement,
            const AnnealOptions &options);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_ANNEAL_H
