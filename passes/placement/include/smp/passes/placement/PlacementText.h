// SPDX-License-Identifier: Apache-2.0
// The text of a placement file (docs/rationale/placement-files.md).

#ifndef SMP_PASSES_PLACEMENT_PLACEMENTTEXT_H
#define SMP_PASSES_PLACEMENT_PLACEMENTTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace smp::passes {

/// Where the ops of the module are, each of which has a placement, and which
/// question that answers, which smp-partition has noted where the request names
/// a file to save to; forgets the note.
std::string takePlacementText(mlir::ModuleOp module);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PLACEMENTTEXT_H
