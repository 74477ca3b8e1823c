// SPDX-License-Identifier: Apache-2.0
// The ladder of solvers: cut orders, improve, prove.

#include "../bounds/Certify.h"
#include "../bounds/FindBound.h"
#include "../conflicts/Explain.h"
#include "../exact/ExactSearch.h"
#include "../exact/Packing.h"
#include "../problem/CheckProblem.h"
#include "../problem/TieClasses.h"
#include "CutOrder.h"
#include "DeepSearch.h"
#include "Improve.h"
#include "Preference.h"
#include "RoundSets.h"
#include "SolveLatency.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// More groups without pins are not searched exhaustively.
constexpr uint32_t kMostSearched = 40;
/// More groups are searched by levels, and their bound is that of their work.
constexpr uint32_t kMany = 5000;

class Ladder {
public:
  Ladder(const PartitionProblem &problem, const SolverOptions &options)
      : problem(problem), options(options),
        groups(contract(problem, problem.getPins())),
        stages(groupsOfStages(problem)) {}

  PartitionResult run() {
    const std::vector<uint32_t> contiguous = solveContiguous();
    if (problem.getContiguity() == Contiguity::Required)
      return answerRequired(contiguous);
    Placement best = solveAnyStages(contiguous);
    if (best.empty()) {
      const Fit fit = findFit(groups, best, /*isContiguous=*/false);
      if (fit == Fit::No)
        return explainConflict(problem);
      if (fit == Fit::Unknown)
        return giveUp(problem);
      improve(groups, best, Stages::Any);
    }
    lookFurther(best);
    if (!contiguous.empty())
      lookAtStages(best);
    const bool isOptimal = groups.numFreeGroups <= kMostSearched &&
                           searchAll(groups, best, /*isContiguous=*/false,
                                     options.effort.exactSteps);
    Certificate certificate =
        isOptimal ? certifySearch(scoreOf(groups, best).bottleneck,
                                  options.effort.exactSteps)
                  : bestBound(best);
    PartitionAnswer answer = answerOf(perItem(groups, best));
    prove(answer, std::move(certificate));
    if (!contiguous.empty() && contiguous != answer.partitionOf &&
        isTaken(problem, options.measure, contiguous, answer.partitionOf)) {
      answer.partitionOf = contiguous;
      answer.objective = problem.objective(answer.partitionOf);
    }
    return answer;
  }

private:
  /// Bound by ties and, where one stage each is required, by tensors; nothing
  /// when pins divide them.
  static std::optional<Contraction>
  groupsOfStages(const PartitionProblem &problem) {
    Contraction tied = contract(problem, problem.getPins(), Contract::Ties);
    return problem.getContiguity() == Contiguity::Required
               ? mergeCycles(tied)
               : std::optional(std::move(tied));
  }

  PartitionAnswer answerOf(std::vector<uint32_t> partitionOf) const {
    PartitionAnswer answer;
    answer.objective = problem.objective(partitionOf);
    answer.partitionOf = std::move(partitionOf);
    return answer;
  }

  void prove(PartitionAnswer &answer, Certificate certificate) const {
    answer.bound = std::min(answer.objective, boundOf(problem, certificate));
    answer.certificate = std::move(certificate);
  }

  void lookFurther(Placement &placement) const {
    if (groups.numGroups() > kMany)
      searchByLevels(groups, placement, options.effort, options.jobs);
    else if (options.effort.searches > 0)
      searchDeeper(groups, placement, options.effort, options.jobs);
  }

  /// So that more freedom is never worse than one stage each.
  void lookAtStages(Placement &placement) const {
    if (options.effort.searches == 0 || groups.numGroups() > kMany ||
        problem.getContiguity() != Contiguity::Any)
      return;
    Placement found;
    searchStages(*stages, found, options.effort, options.jobs);
    if (found.empty())
      return;
    Placement start = perGroup(groups, perItem(*stages, found));
    improve(groups, start, Stages::Any);
    if (scoreOf(groups, start) < scoreOf(groups, placement))
      placement = std::move(start);
  }

  /// May find a better placement on the way.
  Certificate bestBound(Placement &best) const {
    const Certificate certificate = certify(findWorkBound(groups));
    if (options.effort.boundSteps == 0 || groups.numGroups() > kMany)
      return certificate;
    auto round = [&](const std::vector<HeldSet> &sets) {
      roundSets(groups, sets, best, options.effort, options.jobs);
      return scoreOf(groups, best).bottleneck;
    };
    const uint64_t steps =
        std::min(options.effort.boundSteps * groups.numGroups(),
                 options.effort.mostBoundSteps);
    return BoundSearch(groups, scoreOf(groups, best).bottleneck, certificate,
                       steps)
        .run(options.jobs, round);
  }

  PartitionResult answerRequired(const std::vector<uint32_t> &contiguous) {
    if (contiguous.empty())
      return isContiguousProved ? explainConflict(problem) : giveUp(problem);
    PartitionAnswer answer = answerOf(contiguous);
    Placement any = perGroup(groups, contiguous);
    prove(answer,
          isContiguousProved
              ? certifySearch(
                    scoreOf(*stages, perGroup(*stages, contiguous)).bottleneck,
                    options.effort.exactSteps)
              : bestBound(any));
    return answer;
  }

  /// A partition per item, with one stage each. Empty when pins, ties or the
  /// limit allow none, or none was found.
  std::vector<uint32_t> solveContiguous() {
    const bool isRequired = problem.getContiguity() == Contiguity::Required;
    isContiguousProved = !stages;
    if (!stages)
      return {};
    const std::vector<Order> orders = topologicalOrders(*stages);
    if (orders.empty()) // Ties go round: too much would be on one partition.
      return {};
    std::vector<Placement> starts;
    const Placement given = startOf(*stages);
    if (!given.empty() && problem.isContiguous(perItem(*stages, given)))
      starts.push_back(given);
    for (const Order &order : orders)
      starts.push_back(cutOrders(*stages, {order}));
    Placement best;
    for (Placement &start : starts) {
      if (start.empty())
        continue;
      improve(*stages, start, Stages::OnePerPartition);
      if (best.empty() || scoreOf(*stages, start) < scoreOf(*stages, best))
        best = std::move(start);
    }
    if (options.effort.searches > 0 &&
        problem.getContiguity() != Contiguity::Any)
      searchStages(*stages, best, options.effort, options.jobs);
    if (best.empty() && isRequired) {
      const Fit fit = findFit(*stages, best, /*isContiguous=*/true);
      isContiguousProved = fit == Fit::No;
      if (fit == Fit::No)
        return {};
      if (fit == Fit::Yes)
        improve(*stages, best, Stages::OnePerPartition);
    }
    if (stages->numFreeGroups <= kMostSearched)
      isContiguousProved =
          searchAll(*stages, best, /*isContiguous=*/true, contiguousSteps());
    return best.empty() ? std::vector<uint32_t>() : perItem(*stages, best);
  }

  /// What was given to begin with: where each group's first item is, or what
  /// binds the group. Empty where there is none, or it is no answer.
  Placement startOf(const Contraction &of) const {
    Placement start;
    if (options.start.size() != problem.getItems().size())
      return start;
    for (uint32_t group = 0; group < of.numGroups(); ++group)
      start.push_back(of.isFree(group)
                          ? options.start[of.groups[group].firstItem]
                          : uint32_t(of.groups[group].fixed));
    if (problem.verifyPlacement(perItem(of, start)))
      start.clear();
    return start;
  }

  /// A start for others is not worth as much as an answer.
  uint64_t contiguousSteps() const {
    const uint64_t steps = options.effort.exactSteps;
    return problem.getContiguity() == Contiguity::Required ? steps : steps / 4;
  }

  /// The best of what cuts of orders lead to and what an answer with one stage
  /// each leads to. Empty when there is neither.
  Placement solveAnyStages(const std::vector<uint32_t> &contiguous) const {
    std::vector<Placement> starts{startOf(groups),
                                  cutOrders(groups, frontierOrders(groups))};
    if (!contiguous.empty())
      starts.push_back(perGroup(groups, contiguous));
    Placement best;
    for (Placement &start : starts) {
      if (start.empty())
        continue;
      improve(groups, start, Stages::Any);
      if (best.empty() || scoreOf(groups, start) < scoreOf(groups, best))
        best = std::move(start);
    }
    return best;
  }

  const PartitionProblem &problem;
  const SolverOptions &options;
  const Contraction groups;                ///< Bound by ties and pins.
  const std::optional<Contraction> stages; ///< See groupsOfStages().
  /// Whether the contiguous answer is the best one, or there is none.
  bool isContiguousProved = false;
};

} // namespace

static void runOneByOne(uint32_t count,
                        const std::function<void(uint32_t)> &job) {
  for (uint32_t i = 0; i < count; ++i)
    job(i);
}

PartitionResult solvePartition(const PartitionProblem &problem,
                               const SolverOptions &given) {
  SolverOptions options = given;
  if (!options.jobs)
    options.jobs = runOneByOne;
  if (std::optional<PartitionConflict> conflict = checkFigures(problem))
    return *conflict;
  if (checkPins(problem, problem.getPins()))
    return explainConflict(problem);
  if (problem.getItems().empty())
    return PartitionAnswer{};
  if (problem.getObjective() == Objective::Latency)
    return solveLatency(problem, options);
  return Ladder(problem, options).run();
}

std::optional<ProvedBound> lowestObjective(const PartitionProblem &problem,
                                           const Effort &effort) {
  if (problem.check())
    return std::nullopt;
  const Contraction groups = contract(problem, problem.getPins());
  if (groups.numFreeGroups <= kMostSearched) {
    PartitionResult result = solvePartition(problem, {.effort = effort});
    const auto *answer = std::get_if<PartitionAnswer>(&result);
    return answer
               ? std::optional(ProvedBound{answer->bound, answer->certificate})
               : std::nullopt;
  }
  Placement any;
  if (findFit(groups, any, /*isContiguous=*/false) != Fit::Yes)
    return std::nullopt;
  const Certificate certificate = certify(findWorkBound(groups));
  return ProvedBound{boundOf(problem, certificate), certificate};
}

} // namespace smp::passes
