// SPDX-License-Identifier: Apache-2.0
// The ladder of solvers: cut orders, improve, prove.

#include "partition/Contraction.h"
#include <algorithm>

namespace smp::passes {

/// More groups without pins are not searched exhaustively.
static constexpr uint32_t kMostSearched = 40;

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

/// A partition per item, with one stage each. Empty when pins, ties or the
/// limit allow none.
static std::vector<uint32_t> solveContiguous(const PartitionProblem &problem) {
  Contraction tied = contract(problem, problem.getPins(), Contract::Ties);
  std::vector<uint32_t> best;
  for (const Order &order : topologicalOrders(tied)) {
    Assignment found = cutOrders(tied, {order});
    if (found.empty())
      continue;
    improve(tied, found, Stages::OnePerPartition);
    std::vector<uint32_t> partitionOf;
    for (uint32_t group : tied.groupOf)
      partitionOf.push_back(found[group]);
    if (best.empty() ||
        problem.objective(partitionOf) < problem.objective(best))
      best = std::move(partitionOf);
  }
  return best;
}

PartitionResult solvePartition(const PartitionProblem &problem) {
  if (std::optional<PartitionConflict> conflict = problem.check())
    return *conflict;
  if (problem.getItems().empty())
    return PartitionAnswer{};
  Contraction contracted = contract(problem, problem.getPins());
  Assignment best = cutOrders(contracted, frontierOrders(contracted));
  if (best.empty()) {
    Fit fit = findFit(contracted, best);
    if (fit == Fit::No)
      return explainMemory(problem);
    if (fit == Fit::Unknown)
      return giveUp(problem);
  }
  improve(contracted, best, Stages::Any);
  bool isOptimal =
      contracted.numFreeGroups <= kMostSearched && searchAll(contracted, best);
  PartitionAnswer answer;
  for (uint32_t group : contracted.groupOf)
    answer.partitionOf.push_back(best[group]);
  answer.objective = problem.objective(answer.partitionOf);
  answer.bound = isOptimal ? answer.objective
                           : std::min(answer.objective, lowerBound(contracted));
  if (problem.getContiguousWorth() == 0)
    return answer;
  std::vector<uint32_t> partitionOf = solveContiguous(problem);
  if (partitionOf.empty())
    return answer;
  if (double objective = problem.objective(partitionOf);
      objective <= answer.objective * problem.getContiguousWorth()) {
    answer.partitionOf = std::move(partitionOf);
    answer.objective = objective;
  }
  return answer;
}

} // namespace smp::passes
