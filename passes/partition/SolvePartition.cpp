// SPDX-License-Identifier: Apache-2.0
// The ladder of solvers: cut orders, improve, prove.

#include "partition/Contraction.h"

namespace smp::passes {

/// More groups without pins are not searched exhaustively.
static constexpr size_t kMostSearched = 40;

static PartitionConflict giveUp(const PartitionProblem &problem) {
  PartitionConflict conflict;
  conflict.message =
      "no placement was found within the memory limit of " +
      std::to_string(*problem.getMemoryLimit()) +
      " bytes per partition, though none is proved impossible; raise the limit "
      "or remove pins";
  for (const PartitionProblem::Pin &pin : problem.getPins())
    conflict.items.push_back(pin.item);
  return conflict;
}

PartitionResult solvePartition(const PartitionProblem &problem) {
  if (std::optional<PartitionConflict> conflict = problem.check())
    return *conflict;
  if (problem.getItems().empty())
    return PartitionAnswer{};
  Contraction contracted = contract(problem, problem.getPins());
  Assignment best = solveByIntervals(contracted);
  if (best.empty()) {
    Fit fit = findFit(contracted, best);
    if (fit == Fit::No)
      return explainMemory(problem);
    if (fit == Fit::Unknown)
      return giveUp(problem);
  }
  improve(contracted, best);
  bool isOptimal =
      contracted.groups.size() - contracted.numFixed <= kMostSearched &&
      searchAll(contracted, best);
  PartitionAnswer answer;
  for (uint32_t group : contracted.groupOf)
    answer.partitionOf.push_back(best[group]);
  answer.objective = problem.objective(answer.partitionOf);
  answer.bound = isOptimal ? answer.objective
                           : std::min(answer.objective, lowerBound(contracted));
  return answer;
}

} // namespace smp::passes
