// SPDX-License-Identifier: Apache-2.0
// Ways that lead back to where they begin.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_CYCLES_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_CYCLES_H

#include <cstdint>
#include <vector>

namespace smp::passes {

struct Cycle {
  std::vector<uint32_t> nodes; ///< In order; empty when there is none.
  bool isShortest = true;      ///< Else the search has ended early.
};
/// A cycle of the fewest nodes. `next` has the nodes that each node leads to.
/// O(nodes * arcs), but no more than some tens of millions of steps.
Cycle shortestCycle(const std::vector<std::vector<uint32_t>> &next);

/// By node a number that nodes share which reach each other; it is the least of
/// theirs. O(nodes + arcs).
std::vector<uint32_t>
strongComponents(const std::vector<std::vector<uint32_t>> &next);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_CYCLES_H
