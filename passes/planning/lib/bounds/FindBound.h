// SPDX-License-Identifier: Apache-2.0
// The search for the greatest bound that can be proved.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_FINDBOUND_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_FINDBOUND_H

#include "SetProver.h"
#include "smp/passes/planning/PartitionSolver.h"

namespace smp::passes {

/// Raises a bound while it looks for placements that bring the bottleneck down
/// to it.
class BoundSearch {
public:
  /// Makes a placement of `problem` from sets that cover all items by shares;
  /// returns its bottleneck, or that of the best so far.
  using Rounding = std::function<int64_t(const std::vector<HeldSet> &sets)>;

  /// `bottleneck` is that of the best placement so far.
  BoundSearch(const Contraction &problem, int64_t bottleneck,
              const Certificate &known, uint64_t mostSteps);

  /// Rounds of two attempts each at bottlenecks between what is proved and what
  /// is not, until these are close or the steps are spent.
  Certificate run(const JobRunner &jobs, const Rounding &round);

private:
  Certificate best;
  const Contraction reduced;
  int64_t reached;
  uint64_t stepsLeft;
};

/// Certificates of SetBounds, and back.
Certificate certify(const SetBound &bound);
SetBound setBoundOf(const Certificate &certificate);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_FINDBOUND_H
