// SPDX-License-Identifier: Apache-2.0
// Whether anything fits, whatever its loads.

#ifndef SMP_PASSES_PLANNING_LIB_EXACT_PACKING_H
#define SMP_PASSES_PLANNING_LIB_EXACT_PACKING_H

#include "../problem/Contraction.h"

namespace smp::passes {

enum class Fit { Yes, No, Unknown };

/// Steps of a search through all ways to pack groups.
inline constexpr uint64_t kPackingSteps = 100'000;

/// Looks for a placement that keeps pins, allowed sets and limits, in which
/// partitions also need one stage each if that is asked for; then `problem` has
/// no cycles (mergeCycles()). Up to 200 free groups are packed in every way,
/// while there are steps left; takes those that it makes from them.
Fit findFit(const Contraction &problem, Placement &placement, bool isContiguous,
            uint64_t &stepsLeft);
Fit findFit(const Contraction &problem, Placement &placement,
            bool isContiguous);

/// A group that no partition that may have it can hold, or nothing.
std::optional<uint32_t> findTooLarge(const Contraction &problem);
/// Of all groups.
int64_t totalResident(const Contraction &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_EXACT_PACKING_H
