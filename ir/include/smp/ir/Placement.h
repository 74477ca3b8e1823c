// SPDX-License-Identifier: Apache-2.0
// Names of the dialect's discardable attributes, and access to placements.

#ifndef SMP_IR_PLACEMENT_H
#define SMP_IR_PLACEMENT_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// On an op: PlacementAttr.
inline constexpr llvm::StringLiteral kPlacementAttr = "smp.placement";
/// On an entry's argument or result: its name, a string.
inline constexpr llvm::StringLiteral kNameAttr = "smp.name";
/// On an entry's argument or result: the dimension microbatches are split or
/// joined along, i64; absent: not split.
inline constexpr llvm::StringLiteral kBatchAxisAttr = "smp.batch_axis";
/// On a module: the number of partitions, i64.
inline constexpr llvm::StringLiteral kPartitionsAttr = "smp.partitions";

/// The op's placement, or null.
PlacementAttr getPlacement(mlir::Operation *op);
void setPlacement(mlir::Operation *op, int64_t partition, Origin origin);

/// Gives `to` the placement of `from` as `propagated`, unless `to` has one.
void inheritPlacement(mlir::Operation *from, mlir::Operation *to);

/// The name that the op has in the source model; empty if it has none. A merged
/// op has the first of its names.
llvm::StringRef getSourceName(mlir::Operation *op);
llvm::StringRef getSourceName(mlir::Location location);

} // namespace smp::ir

#endif // SMP_IR_PLACEMENT_H
