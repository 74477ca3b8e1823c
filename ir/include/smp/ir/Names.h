// SPDX-License-Identifier: Apache-2.0
// Names from the source model. An op's name is its NameLoc, whose child holds
// the names of its results where they differ; merged ops fuse theirs.

#ifndef SMP_IR_NAMES_H
#define SMP_IR_NAMES_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// On a module: the names of values that no pass can show any more because
/// nothing computes them, an array of strings.
inline constexpr llvm::StringLiteral kRemovedNamesAttr = "smp.removed_names";

/// All names at the location, of ops and of values, the first first.
llvm::SmallVector<mlir::StringAttr> getSourceNames(mlir::Location location);

/// `location` with the names of `other` after its own.
mlir::Location withNamesOf(mlir::Location location, mlir::Location other);

/// The location of an op that computes a part of what the op at `location`
/// did: it has no name of its own, and getOriginName() tells whose part it is.
mlir::Location partOf(mlir::Location location);

/// The location of an op `op` whose results are called `values`: `loc("op")`,
/// `loc("op"("value"))`, or `loc("op"(fused["a", "b"]))` for several results.
mlir::Location makeSourceLoc(mlir::MLIRContext *context, llvm::StringRef op,
                             llvm::ArrayRef<llvm::StringRef> values);

/// The name that the value has in the source model: an argument's `smp.name`, a
/// result's own name or, where it has none, its op's. Empty if there is
/// neither.
llvm::StringRef getValueName(mlir::Value value);

/// The name of the op in the source model, or of the op that it is a part of;
/// empty if there is neither.
llvm::StringRef getOriginName(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_NAMES_H
