// SPDX-License-Identifier: Apache-2.0
// Placements with a low latency.

#ifndef SMP_PASSES_PLANNING_LIB_EXACT_LATENCYSEARCH_H
#define SMP_PASSES_PLANNING_LIB_EXACT_LATENCYSEARCH_H

#include "../problem/Contraction.h"
#include "../problem/Latency.h"

namespace smp::passes {

/// What is asked of placements for one request.
struct LatencyQuestion {
  const PartitionProblem &problem;
  const Contraction &groups;
  bool isContiguous = false; ///< Partitions need one stage each.
};

/// The units that a placement of the groups takes; nothing where it does not
/// keep what is asked.
class LatencyJudge {
public:
  explicit LatencyJudge(const LatencyQuestion &question);
  std::optional<int64_t> judge(const Placement &placement) const;

private:
  const LatencyQuestion question;
  const LatencySimulator simulator;
};

/// Moves groups one by one while that lowers the latency, up to so many steps.
/// The placement must keep what is asked.
void lowerLatency(const LatencyQuestion &question, Placement &placement,
                  uint64_t steps);

/// Looks at all placements, if they are at most `steps`. `best`, which may be
/// empty, becomes the one with the least latency. Returns whether it did.
bool searchAllLatencies(const LatencyQuestion &question, Placement &best,
                        uint64_t steps);

/// The items of the path that takes longest even where each is fastest.
std::vector<uint32_t> longestPath(const PartitionProblem &problem);
/// The units that the path takes at least; nothing where it is no path.
std::optional<int64_t> lengthOfPath(const PartitionProblem &problem,
                                    const std::vector<uint32_t> &items);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_EXACT_LATENCYSEARCH_H
