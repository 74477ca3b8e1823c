// SPDX-License-Identifier: Apache-2.0
// The search among placements themselves, by what the evaluator says of each.

#ifndef SMP_PASSES_PLANNING_PLACEMENTSEARCH_H
#define SMP_PASSES_PLANNING_PLACEMENTSEARCH_H

#include "smp/passes/planning/PartitionProblem.h"
#include "smp/passes/planning/PlanEvaluator.h"
#include <functional>
#include <string>

namespace smp::passes {

/// Who judges placements, which have a partition per item of a problem.
struct PlacementJudge {
  /// The figures of the placement; nothing where it cannot be divided into
  /// stages.
  std::function<std::optional<PlanFigures>(const std::vector<uint32_t> &)>
      evaluate;
  /// Whether it keeps the limit once so much is computed again as that takes.
  /// Null: nothing can be computed again.
  std::function<bool(const std::vector<uint32_t> &)> fitsComputedAgain;
};

/// How often the judge is asked at most.
struct JudgeEffort {
  uint64_t evaluations = 0, computations = 0;

  /// For models of so many ops: all placements of a small one, seconds for any.
  static JudgeEffort forOps(uint64_t ops);
};

/// What a search has found.
struct PlacementFound {
  /// A placement that keeps the limit; where none was found, the one whose
  /// largest partition needs least with nothing computed again. Empty: none can
  /// be divided into stages.
  std::vector<uint32_t> partitionOf = {};
  bool fits = false;
  int64_t mostBytes = 0; ///< Of its largest partition, nothing computed again.
  uint64_t evaluations = 0;  ///< How many placements were evaluated,
  uint64_t computations = 0; ///< and how many of them made to fit.
  /// Whether all were evaluated that pins, ties and allowed sets leave.
  bool areAllEvaluated = false;
  /// Whether there is nothing else to try: that nothing fits is no guess.
  bool isAll = false;

  /// Says of a search that has found nothing which placements were evaluated,
  /// what the best one needs, and whether that is all that can be said.
  /// `isTrained`: whether something can be computed again.
  std::string refusal(int64_t limit, bool isTrained) const;
};

/// Looks for a placement with at most `limit` bytes on each partition. Costs,
/// bytes and limits of the problem are not looked at: the judge knows better.
///
/// Guarantee: of a problem with at most `effort.evaluations` placements all are
/// evaluated, and of those that fit as they are the one whose busiest partition
/// has least to do is found. Where none does, they are made to fit one after
/// the other, by their bytes, until one is. Of larger problems each start, and
/// then others that are drawn, is improved, by moves and exchanges of what
/// stays together, as long as that lowers the bytes beyond the limit, until
/// something fits. Deterministic.
///
/// `starts`: a partition per item each, which keep pins, ties and allowed sets.
PlacementFound
searchPlacements(const PartitionProblem &problem, int64_t limit,
                 const std::vector<std::vector<uint32_t>> &starts,
                 const PlacementJudge &judge, const JudgeEffort &effort);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PLACEMENTSEARCH_H
