// SPDX-License-Identifier: Apache-2.0
// Pins of users, by the names of ops.

#ifndef SMP_PASSES_PLACEMENT_LIB_PINS_H
#define SMP_PASSES_PLACEMENT_LIB_PINS_H

#include "mlir/IR/OwningOpRef.h"
#include "smp/ir/Smp.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace smp::passes {

/// By the name of the op that has it, or whose part it is: where its ops are.
using PinsByName = llvm::MapVector<mlir::StringAttr, llvm::SetVector<int64_t>>;
PinsByName pinsOf(mlir::ModuleOp module);

/// A copy that has the pins of the names that `isKept` says, what follows from
/// them, and no other placement but of ops on all partitions. Null where these
/// pins contradict each other.
mlir::OwningOpRef<mlir::ModuleOp>
withPins(mlir::ModuleOp module,
         llvm::function_ref<bool(mlir::StringAttr)> isKept);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PINS_H
