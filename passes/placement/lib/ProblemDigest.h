// SPDX-License-Identifier: Apache-2.0
// Whether a placement that was kept answers the question that is asked now.

#ifndef SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H
#define SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H

#include "BuildProblem.h"

namespace smp::passes {

/// 16 hexadecimal digits of all that a placement follows from: items with their
/// costs and the names and kinds of their ops, tensors, pins, ties, and what is
/// asked. Different ones are the same by accident only (XXH3, 64 bits).
std::string digestOf(const ModuleProblem &question,
                     const PlacementRequest &request);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PROBLEMDIGEST_H
