// SPDX-License-Identifier: Apache-2.0
// The ladder of solvers: cut orders, improve, prove.

#include "Contraction.h"
#include <algorithm>

namespace smp::passes {

/// More groups without pins are not searched exhaustively.
static constexpr uint32_t kMostSearched = 40;
/// What is lower by this factor is better; rounding alone is not.
static constexpr double kBetter = 1 - 1e-12;

static PartitionConflict giveUp(const PartitionProblem &problem) {
  PartitionConflict conflict;
  conflict.isProved = false;
  conflict.message =
      "no placement was found within the memory limit of " +
      std::to_string(*problem.getMemoryLimit()) +
      " bytes per partition, though none is proved impossible; raise the limit "
      "or remove pins";
  for (const PartitionProblem::Pin &pin : problem.getPins())
    conflict.items.push_back(pin.item);
  return conflict;
}

static std::vector<uint32_t> perItem(const Contraction &problem,
                                     const Assignment &assignment) {
  std::vector<uint32_t> partitionOf;
  for (uint32_t group : problem.groupOf)
    partitionOf.push_back(assignment[group]);
  return partitionOf;
}

/// The other way, for an answer that keeps together what is one group.
static Assignment perGroup(const Contraction &problem,
                           const std::vector<uint32_t> &partitionOf) {
  Assignment assignment(problem.groups.size());
  for (size_t item = 0; item < partitionOf.size(); ++item)
    assignment[problem.groupOf[item]] = partitionOf[item];
  return assignment;
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
    std::vector<uint32_t> partitionOf = perItem(tied, found);
    if (best.empty() ||
        problem.objective(partitionOf) < problem.objective(best))
      best = std::move(partitionOf);
  }
  return best;
}

/// The best of what cuts of orders lead to and what an answer with one stage
/// each leads to. Empty when there is neither.
static Assignment solveAnyStages(const Contraction &problem,
                                 const std::vector<uint32_t> &contiguous) {
  std::vector<Assignment> starts{cutOrders(problem, frontierOrders(problem))};
  if (!contiguous.empty())
    starts.push_back(perGroup(problem, contiguous));
  Assignment best;
  for (Assignment &start : starts) {
    if (start.empty())
      continue;
    improve(problem, start, Stages::Any);
    if (best.empty() ||
        scoreOf(problem, start).betterThan(scoreOf(problem, best)))
      best = std::move(start);
  }
  return best;
}

/// Whether it is taken in place of `any`: because it is better, or because one
/// stage each is preferred and it is not too much worse.
static bool isTaken(const std::vector<uint32_t> &contiguous,
                    const std::vector<uint32_t> &any,
                    const PartitionProblem &problem, const Measure &measure) {
  auto cost = [&](const std::vector<uint32_t> &partitionOf) {
    return measure ? measure(partitionOf) : problem.objective(partitionOf);
  };
  const double worth = std::max(problem.getContiguousWorth(), kBetter);
  return cost(contiguous) <= cost(any) * worth;
}

PartitionResult solvePartition(const PartitionProblem &problem,
                               const Measure &measure) {
  if (std::optional<PartitionConflict> conflict = problem.check())
    return *conflict;
  if (problem.getItems().empty())
    return PartitionAnswer{};
  Contraction contracted = contract(problem, problem.getPins());
  std::vector<uint32_t> contiguous = solveContiguous(problem);
  Assignment best = solveAnyStages(contracted, contiguous);
  if (best.empty()) {
    Fit fit = findFit(contracted, best);
    if (fit == Fit::No)
      return explainMemory(problem);
    if (fit == Fit::Unknown)
      return giveUp(problem);
    improve(contracted, best, Stages::Any);
  }
  bool isOptimal =
      contracted.numFreeGroups <= kMostSearched && searchAll(contracted, best);
  PartitionAnswer answer;
  answer.partitionOf = perItem(contracted, best);
  answer.objective = problem.objective(answer.partitionOf);
  answer.bound = isOptimal ? answer.objective
                           : std::min(answer.objective, lowerBound(contracted));
  if (!contiguous.empty() && contiguous != answer.partitionOf &&
      isTaken(contiguous, answer.partitionOf, problem, measure)) {
    answer.partitionOf = std::move(contiguous);
    answer.objective = problem.objective(answer.partitionOf);
  }
  return answer;
}

std::optional<double> lowestObjective(const PartitionProblem &problem) {
  if (problem.check())
    return std::nullopt;
  Contraction contracted = contract(problem, problem.getPins());
  if (contracted.numFreeGroups <= kMostSearched) {
    PartitionResult result = solvePartition(problem);
    const auto *answer = std::get_if<PartitionAnswer>(&result);
    return answer ? std::optional(answer->bound) : std::nullopt;
  }
  Assignment any;
  if (findFit(contracted, any) != Fit::Yes)
    return std::nullopt;
  return lowerBound(contracted);
}

} // namespace smp::passes
