// SPDX-License-Identifier: Apache-2.0
// Finds answers to partition problems, and how good answers can be.

#ifndef SMP_PASSES_PLANNING_PARTITIONSOLVER_H
#define SMP_PASSES_PLANNING_PARTITIONSOLVER_H

#include "smp/passes/planning/PartitionProblem.h"
#include <functional>

namespace smp::passes {

/// How much is done for a better answer and a better bound. All of it is
/// counted, nothing is timed.
struct Effort {
  /// Orders that are drawn, beside those that are always tried.
  uint32_t orders = 0;
  /// Random moves of each search, and how many searches there are.
  uint64_t moves = 0;
  uint32_t searches = 0;
  /// Random moves on each level of a problem of many thousand items.
  uint64_t levelMoves = 50'000;
  /// Steps of the search through all answers of a small problem.
  uint64_t exactSteps = 400'000;
  /// Steps of the proof that a bound holds, for each item that is not bound to
  /// another one, and in all.
  uint64_t boundSteps = 0, mostBoundSteps = 3'000'000'000;

  /// For compilers: fractions of a second for models of a few thousand ops.
  static Effort quick() { return {}; }
  /// Seconds, on two cores.
  static Effort thorough() {
    return {.orders = 1000,
            .moves = 1'000'000,
            .searches = 8,
            .levelMoves = 100'000,
            .exactSteps = 2'000'000,
            .boundSteps = 9'000'000};
  }
};

/// Runs jobs 0 .. count - 1, each once, in any order and on any threads, and
/// returns when all are over. What jobs make does not depend on that.
using JobRunner = std::function<void(
    uint32_t count, const std::function<void(uint32_t job)> &job)>;

/// What an answer costs in all, lower being better, where that is not what its
/// items cost one by one, or where what counts is the time of a step under a
/// schedule.
using Measure = std::function<double(const std::vector<uint32_t> &partitionOf)>;

/// Beside the problem, what solving it depends on.
struct SolverOptions {
  Effort effort = {};
  Measure measure = {}; ///< None: the objective.
  JobRunner jobs = {};  ///< None: one after another.
  /// A partition per item to begin with, beside others, as far as pins and ties
  /// allow; empty: none. No answer is worse than what it leads to.
  std::vector<uint32_t> start = {};
};

/// Finds an answer with a low objective, and a bound with a certificate.
///
/// Guarantee: keeps pins, ties, limits, what is allowed, and contiguity that is
/// required, or returns a conflict, which says whether it is proved, and then
/// names a smallest set of items unless it says that it does not. Never worse
/// than the best cut of the items' own order into one run of items per
/// partition (items with the same variable counting as one), nor than any
/// contiguous answer that it meets on its way. Optimal when the search of small
/// problems (about 20 free items) comes to its end; then the bound equals the
/// objective, unless a contiguous answer is preferred to a better one.
/// Deterministic: no clock, no random number that the problem does not decide,
/// nothing that depends on the number of threads or on how it was compiled.
///
/// With a measure the best answer found, by the objective, and the best
/// contiguous one are compared by it: so what is returned measures no worse
/// than when contiguous ones are preferred, though its objective may be higher.
/// It is called twice at most, on the caller's thread.
///
/// Cost: with little effort a few orders at O(n^2 (d / P + 1)) each for n items
/// of d tensors; above a few thousand items these are made fewer first, so that
/// a hundred thousand items on 64 partitions take seconds.
PartitionResult solvePartition(const PartitionProblem &problem,
                               const SolverOptions &options = {});

/// How low an objective can be, without a search for an answer that is: no
/// answer has a lower one. The least where few items are free and their search
/// comes to its end. Nothing when no answer is known to exist.
struct ProvedBound {
  double bound = 0;
  Certificate certificate;
};
std::optional<ProvedBound> lowestObjective(const PartitionProblem &problem,
                                           const Effort &effort = {});

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PARTITIONSOLVER_H
