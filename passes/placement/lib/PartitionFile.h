// SPDX-License-Identifier: Apache-2.0
// A placement kept in a JSON file, so that it can be used again.

#ifndef SMP_PASSES_PLACEMENT_LIB_PARTITIONFILE_H
#define SMP_PASSES_PLACEMENT_LIB_PARTITIONFILE_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Writes the placement of every op of the module's entries.
llvm::LogicalResult writePartitionFile(mlir::ModuleOp module,
                                       llvm::StringRef path);

/// Places every op without a placement as the file says. Fails when the file is
/// of another model, or differs from a pin.
llvm::LogicalResult readPartitionFile(mlir::ModuleOp module,
                                      llvm::StringRef path);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PARTITIONFILE_H
