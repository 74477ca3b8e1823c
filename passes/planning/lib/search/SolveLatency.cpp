// SPDX-License-Identifier: Apache-2.0
#include "SolveLatency.h"
#include "../bounds/Certify.h"
#include "../exact/LatencySearch.h"
#include "Preference.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// Simulated placements take so many steps of a search as they have items.
constexpr uint64_t kStepsPerPlacement = 50;

class LatencySolver {
public:
  LatencySolver(const PartitionProblem &problem, const SolverOptions &options)
      : problem(problem), options(options), groups(*searchedGroups(problem)) {}

  /// `fast` is an answer to the same problem for throughput.
  PartitionAnswer run(const PartitionAnswer &fast) {
    const bool isRequired = problem.getContiguity() == Contiguity::Required;
    starts.push_back(perGroup(groups, fast.partitionOf));
    for (uint32_t p = 0; p < groups.partitions.count; ++p)
      starts.push_back(allOn(p, starts.front()));
    bool isOptimal = false;
    PartitionAnswer answer = answerOf(find(isRequired, isOptimal));
    Certificate certificate = isOptimal
                                  ? certifySearch(unitsOf(answer.partitionOf),
                                                  options.effort.exactSteps)
                                  : boundOfPaths(fast);
    if (problem.getContiguity() == Contiguity::Preferred) {
      bool isIgnored = false;
      if (const Placement found = find(/*isContiguous=*/true, isIgnored);
          !found.empty() && isTaken(problem, options.measure,
                                    perItem(groups, found), answer.partitionOf))
        answer = answerOf(found);
    }
    answer.bound = std::min(answer.objective, boundOf(problem, certificate));
    answer.certificate = std::move(certificate);
    return answer;
  }

private:
  /// But for what must be elsewhere.
  Placement allOn(uint32_t partition, const Placement &other) const {
    Placement placement = other;
    for (uint32_t g = 0; g < placement.size(); ++g)
      if (groups.canHave(partition, g))
        placement[g] = partition;
    return placement;
  }

  /// Empty where none of the starts keeps what is asked.
  Placement find(bool isContiguous, bool &isOptimal) const {
    const LatencyQuestion question{problem, groups, isContiguous};
    const LatencyJudge judge(question);
    Placement best;
    int64_t least = 0;
    for (const Placement &start : starts) {
      if (!judge.judge(start))
        continue;
      Placement found = start;
      lowerLatency(question, found,
                   options.effort.exactSteps * kStepsPerPlacement /
                       starts.size());
      const int64_t latency = *judge.judge(found);
      if (best.empty() || latency < least)
        best = std::move(found), least = latency;
    }
    isOptimal = searchAllLatencies(question, best, mostPlacements());
    return best;
  }

  uint64_t mostPlacements() const {
    return options.effort.exactSteps / kStepsPerPlacement;
  }

  Certificate boundOfPaths(const PartitionAnswer &fast) const {
    Certificate certificate{.kind = Certificate::Kind::Path,
                            .items = longestPath(problem)};
    certificate.excluded =
        lengthOfPath(problem, certificate.items).value_or(0) - 1;
    return fast.certificate.kind != Certificate::Kind::Search &&
                   fast.certificate.excluded > certificate.excluded
               ? fast.certificate
               : certificate;
  }

  int64_t unitsOf(const std::vector<uint32_t> &partitionOf) const {
    return LatencySimulator(problem).units(partitionOf);
  }

  PartitionAnswer answerOf(const Placement &placement) const {
    PartitionAnswer answer;
    answer.partitionOf = perItem(groups, placement);
    answer.objective = problem.objective(answer.partitionOf);
    return answer;
  }

  const PartitionProblem &problem;
  const SolverOptions &options;
  const Contraction groups;
  std::vector<Placement> starts;
};

} // namespace

PartitionResult solveLatency(const PartitionProblem &problem,
                             const SolverOptions &options) {
  PartitionProblem throughput = problem;
  throughput.setObjective(Objective::Throughput);
  PartitionResult result = solvePartition(
      throughput, {.effort = options.effort, .jobs = options.jobs});
  const auto *fast = std::get_if<PartitionAnswer>(&result);
  if (!fast || problem.getItems().empty())
    return result;
  return LatencySolver(problem, options).run(*fast);
}

} // namespace smp::passes
