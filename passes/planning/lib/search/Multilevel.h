// SPDX-License-Identifier: Apache-2.0
// Search in problems of very many groups.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_MULTILEVEL_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_MULTILEVEL_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// Makes a placement better on many scales. Groups that it has on one partition
/// are made fewer and larger step by step, until some dozens per partition are
/// left; moves of these shift whole borders between partitions. Then they are
/// taken apart again step by step, and moved at each. The placement, which must
/// fit, is never worse than it was.
///
/// A border that is wrong by a hundred ops of little cost each would need a
/// hundred moves in a row, most of which make things worse for the time being;
/// on a scale where these ops are one it needs a single move.
void refineByLevels(const Contraction &problem, Placement &placement,
                    uint64_t movesPerLevel, uint64_t seed);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_MULTILEVEL_H
