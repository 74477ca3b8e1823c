// SPDX-License-Identifier: Apache-2.0
// An order of groups with few nets open at a time.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_NARROWORDER_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_NARROWORDER_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// Of some least-frontier orders the one that promises the fewest states of a
/// StateGraph, which grow like a power of the open nets.
std::vector<uint32_t> narrowOrder(const Contraction &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_NARROWORDER_H
