// SPDX-License-Identifier: Apache-2.0
// Equal ops become one, whoever placed them.

#ifndef SMP_PASSES_EQUALOPS_H
#define SMP_PASSES_EQUALOPS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "smp/passes/NameKeeper.h"

namespace smp::passes {

/// Merges ops of the function that compute the same on the same partition. What
/// is left has all names, and a user's placement if one of them had. Names are
/// set when the keeper finishes.
void mergeEqualOps(mlir::FunctionOpInterface function, NameKeeper &keeper);

} // namespace smp::passes

#endif // SMP_PASSES_EQUALOPS_H
