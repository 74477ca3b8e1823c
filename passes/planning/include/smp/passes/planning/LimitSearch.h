// SPDX-License-Identifier: Apache-2.0
// The search for a placement that keeps a memory limit.

#ifndef SMP_PASSES_PLANNING_LIMITSEARCH_H
#define SMP_PASSES_PLANNING_LIMITSEARCH_H

#include "smp/passes/planning/PartitionProblem.h"
#include <functional>
#include <limits>

namespace smp::passes {

/// How the partitioner is asked for one placement.
struct PlacementTrial {
  bool contiguous = true; ///< Prefer one stage per partition,
  /// even if the busiest takes so many times as long; none: what is usual.
  std::optional<double> contiguousWorth = {};
  /// Which part of the stash counts against the limit: the rest may be computed
  /// again.
  double stashShare = 1;
  /// The part of the limit that what is predicted of items may reach.
  double margin = 1;
  bool keepsLimit = true; ///< Else the solver looks at none.
  /// A partition per item, with kernels divided, that was found already; empty:
  /// the solver is asked.
  std::vector<uint32_t> partitionOf = {};
};

/// What became of a placement.
struct TrialOutcome {
  /// The busiest partition's per microbatch, once it fits.
  double seconds = std::numeric_limits<double>::infinity();
  bool fitsAsIs = false; ///< With nothing computed again.
};

/// The trial whose busiest partition has least to do once it fits; where none
/// fits, the first, whose error says why.
///
/// Counting nothing of the stash gives the least time and the most to compute
/// again, and one stage per partition keeps least between stages: so parts of
/// the stash are counted from none to all, with one stage each at the usual and
/// at any price. The first, which is the fastest, is taken at once when it fits
/// as it is. Only where none fits, what is predicted of items must stay further
/// below the limit. Without `contiguous`, trials without that preference come
/// in addition, so that having it or not never makes the answer worse. At most
/// 45 calls.
PlacementTrial searchWithinLimit(
    bool contiguous,
    const std::function<TrialOutcome(const PlacementTrial &)> &run);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIMITSEARCH_H
