// SPDX-License-Identifier: Apache-2.0
// The worthiest set of groups that a partition can hold.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_PRICING_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_PRICING_H

#include "StateGraph.h"

namespace smp::passes {

/// What groups are worth, and what is asked of sets of them.
struct PriceQuestion {
  const std::vector<int64_t> &worth; ///< By group; all together at most 2^31.
  int64_t enough = 0;    ///< Sets that are worth no more are of no interest.
  uint32_t labels = 100; ///< That are kept of a state at most.
  /// Whether what is too much is dropped, else it is merged.
  bool isQuick = false;
};

struct PriceAnswer {
  /// No set is worth more than the greater of this and `enough`; with a quick
  /// question, none of those that were looked at.
  int64_t most = 0;
  /// Nothing was dropped or merged.
  bool isExact = true;
  /// Sets that are worth more than `enough`, the worthiest first; of what was
  /// merged none.
  std::vector<std::vector<uint32_t>> sets;
  uint64_t steps = 0;
};

/// Looks for sets whose cost is within the graph's limit.
///
/// The idea: along the layers, each state keeps labels, the cost and worth of
/// ways to it, of which none costs less and is worth more than another. A label
/// is left where, even with the best that can follow, its set is worth no more
/// than `enough`; what can follow is bounded by paying for cost: worth - slope
/// * cost is greatest on a way that is found layer by layer, for a few slopes.
/// For `enough` 7, a limit of 10, and a group of cost 4 and worth 3 that is in:
/// a label (4, 3), of what follows nothing is worth more than 1 per cost of 2.
/// So the way ends up worth at most 3 + (10 - 4) / 2 = 6, and is left.
///
/// Where labels are too many, some of nearly the same cost become one: with the
/// least cost and the most worth of them, so that `most` is still a bound.
PriceAnswer findWorthiest(const StateGraph &graph,
                          const PriceQuestion &question);

/// A bound on what a set is worth, without a search; often much too high.
int64_t mostWorth(const StateGraph &graph, const std::vector<int64_t> &worth);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_PRICING_H
