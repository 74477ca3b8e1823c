// SPDX-License-Identifier: Apache-2.0
// Whether a placement that was kept answers the question that is asked now.

#ifndef SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H
#define SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H

#include "BuildProblem.h"

namespace smp::passes {

/// 16 hexadecimal digits of all that a placement follows from: items with their
/// names and costs, tensors, pins, ties, and what is asked. Of accidents alone
/// it tells apart what differs (XXH3, 64 bits).
std::string digestOf(const PartitionProblem &problem,
                     const PlacementRequest &request);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H
