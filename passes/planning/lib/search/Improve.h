// SPDX-License-Identifier: Apache-2.0
// Local search that only goes down.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_IMPROVE_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_IMPROVE_H

#include "../problem/Contraction.h"

namespace smp::passes {

enum class Stages { Any, OnePerPartition };
/// Moves and swaps groups while that makes the score better. With one stage per
/// partition, which the placement must have, it keeps that.
void improve(const Contraction &problem, Placement &placement, Stages stages);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_IMPROVE_H
