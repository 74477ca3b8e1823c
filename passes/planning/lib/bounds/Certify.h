// SPDX-License-Identifier: Apache-2.0
// Proofs as certificates.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_CERTIFY_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_CERTIFY_H

#include "../problem/Contraction.h"
#include "WorkBound.h"

namespace smp::passes {

/// What searches of all placements, and their proofs, look at: with one stage
/// each, pins do not make one of groups. Nothing when pins and stages
/// contradict each other.
std::optional<Contraction> searchedGroups(const PartitionProblem &problem);

Certificate certify(const WorkBound &bound);
/// That the search has ended with nothing below `bottleneck`.
Certificate certifySearch(int64_t bottleneck, uint64_t steps);

/// No answer has a lower objective, in cost, than what the certificate says.
double boundOf(const PartitionProblem &problem, const Certificate &certificate);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_CERTIFY_H
