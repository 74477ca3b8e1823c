// SPDX-License-Identifier: Apache-2.0
// Finds what items must be worth for a bound to be proved.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_SETPROVER_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_SETPROVER_H

#include "SetBound.h"
#include <optional>

namespace smp::passes {

/// A set of items that a partition of a holder may have.
struct HeldSet {
  uint32_t holder = 0;
  std::vector<uint32_t> items; ///< One of each group; ascending.
  double share = 0;            ///< See CoverLp::shares().
};

/// What came of an attempt to exclude a bottleneck.
struct ProofAttempt {
  std::optional<SetBound> proof;
  /// That shares of sets cover all groups, so that there is no such proof.
  bool isRefuted = false;
  /// That more states would tell more.
  bool isLossy = false;
  /// All sets that were found, for attempts at others.
  std::vector<HeldSet> sets;
  uint64_t steps = 0;
};

/// Looks for worths that prove that no placement has a bottleneck of
/// `bottleneck` or less, in about so many steps.
///
/// Worths and sets are found by turns: given some sets that fit partitions, the
/// worths are those at which the most partitions would be needed if there were
/// no other sets (CoverLp); given worths, sets that are worth more than their
/// partition are found (Pricing), quickly as long as that finds any. If none is
/// found, the worths are a proof, which is then checked. Worths go only part of
/// the way from the best ones so far to those of the programme, which jump
/// about at first.
ProofAttempt tryProof(const Contraction &reduced, int64_t bottleneck,
                      uint32_t states, const std::vector<HeldSet> &known,
                      uint64_t mostSteps);

/// The greatest bound from single groups: the least cost of any set with the
/// group is more than the bottleneck, of bottlenecks below `below`.
std::optional<SetBound> boundOfOneGroup(const Contraction &reduced,
                                        int64_t below, uint32_t states);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_SETPROVER_H
