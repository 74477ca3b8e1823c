// SPDX-License-Identifier: Apache-2.0
// Bounds from all work together.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_WORKBOUND_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_WORKBOUND_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// A proof that no placement has a bottleneck of `bottleneck` or less.
///
/// By kind of partition, time has a price. Every group costs at least what it
/// does where its time is cheapest, of the partitions that are fast enough for
/// it at all; a partition with pins costs those, and the tensors between them
/// and pins elsewhere. If all of that costs more than `bottleneck` of time on
/// every partition, the work cannot be done. With two partitions, one of which
/// takes ten times as long, groups of 5, 5 and 5 (50 on the slow one), prices
/// 10 and 1:
///
///     a bottleneck of 13    the groups cost 50 each on the fast partition and
///                           cannot be on the slow one: 150, more than
///                           13 * (10 + 1) = 143, so it is impossible
struct WorkBound {
  int64_t bottleneck = -1; ///< Nothing is proved below 0.
  std::vector<int64_t> prices;
};

/// The greatest bottleneck that this excludes, or nearly so with several kinds.
WorkBound findWorkBound(const Contraction &problem);
/// Whether it is a proof. O(groups * kinds + nets).
bool isProved(const Contraction &problem, const WorkBound &bound);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_WORKBOUND_H
