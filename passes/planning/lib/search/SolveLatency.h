// SPDX-License-Identifier: Apache-2.0
// Answers for one request.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_SOLVELATENCY_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_SOLVELATENCY_H

#include "smp/passes/planning/PartitionSolver.h"

namespace smp::passes {

/// Of a sound problem that asks for latency. Starts from everything on one
/// partition, from each, and from the answer for throughput; moves single items
/// while that helps; looks at all placements where they are few. The bound is
/// the longest path, or that of throughput, as no partition does two things at
/// a time.
PartitionResult solveLatency(const PartitionProblem &problem,
                             const SolverOptions &options);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_SOLVELATENCY_H
