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
/// On an entry's result: what becomes of the values of microbatches (JoinAttr);
/// decided by `smp-infer-joins` or said by a person.
inline constexpr llvm::StringLiteral kJoinAttr = "smp.join";
/// On an op of a model that is imported only to see what more rows do to it:
/// what it gives follows from their number (UnitAttr).
inline constexpr llvm::StringLiteral kFollowsRowsAttr = "smp.follows_rows";
/// On an op that a pass derived from others: its unit (UnitAttr); absent:
/// forward.
inline constexpr llvm::StringLiteral kUnitAttr = "smp.unit";
/// On an op and on the ops derived from it: a number that they have in common,
/// i64. They belong on one partition.
inline constexpr llvm::StringLiteral kOriginAttr = "smp.origin";
/// On an op: backward ops that need its results compute them again, a unit.
inline constexpr llvm::StringLiteral kRecomputeAttr = "smp.recompute";
/// On an entry: the type of 16 bits that its products work with, a type.
inline constexpr llvm::StringLiteral kPrecisionAttr = "smp.precision";
/// On an entry: the name of the result to differentiate, a string.
inline constexpr llvm::StringLiteral kLossAttr = "smp.loss";
/// On an entry with a loss: the names of the variables that it is
/// differentiated with respect to; absent: all parameters that it reads.
inline constexpr llvm::StringLiteral kDifferentiateAttr = "smp.differentiate";
/// On an entry that is trained: how it is optimized, a dictionary; see
/// smp/ir/Training.h.
inline constexpr llvm::StringLiteral kOptimizerAttr = "smp.optimizer";
/// On an entry that is trained: the number of microbatches of a step, i64.
inline constexpr llvm::StringLiteral kMicrobatchesAttr = "smp.microbatches";
/// On an entry's argument: that it is no input of the caller's but the number
/// of the microbatch, a unit.
inline constexpr llvm::StringLiteral kIsMicrobatchAttr = "smp.is_microbatch";
/// On a group of a stage: where each result begins in the stage's arena, in
/// bytes; -1 for one that leaves the stage. An array of i64.
inline constexpr llvm::StringLiteral kOffsetsAttr = "smp.offsets";
/// On a group of a stage: where in the arena begins what its launches hand to
/// each other; absent where that is nothing. An array of i64.
inline constexpr llvm::StringLiteral kTemporaryOffsetsAttr =
    "smp.temporary_offsets";
/// On a group of a stage: which operands have the memory of which results,
/// variables that are written where they are read: pairs of an operand's and a
/// result's number, an array of i64. A kernel reads an element of such an
/// operand before it writes the result's at the same place, and none after.
inline constexpr llvm::StringLiteral kInPlaceAttr = "smp.in_place";
/// On a stage: bytes of its arena, i64.
inline constexpr llvm::StringLiteral kArenaBytesAttr = "smp.arena_bytes";
/// On an entry that is trained: gradients of weights are stages of their own.
inline constexpr llvm::StringLiteral kDividesBackwardAttr =
    "smp.divides_backward";
/// On a module: the number of partitions, i64.
inline constexpr llvm::StringLiteral kPartitionsAttr = "smp.partitions";

/// The op's placement, or null.
PlacementAttr getPlacement(mlir::Operation *op);
void setPlacement(mlir::Operation *op, int64_t partition, Origin origin);

/// Gives `to` the placement of `from` as `propagated`, unless `to` has one.
void inheritPlacement(mlir::Operation *from, mlir::Operation *to);

/// The unit that the op belongs to.
Unit getUnit(mlir::Operation *op);

/// Gives `to`, which stands for `from` or a part of it, its unit, its origin
/// and whether it is recomputed, unless it has its own.
void inheritDerivation(mlir::Operation *from, mlir::Operation *to);

/// Gives `to`, which stands for `from` or a part of it, its placement as
/// `propagated`, its unit and its origin, unless it has its own.
void inherit(mlir::Operation *from, mlir::Operation *to);

/// The unit of the stage that computes the op: both backward units are one
/// unless the entry divides them, and an entry that computes nothing per step
/// is forward as a whole.
Unit getPhase(mlir::Operation *op);

/// Whether it is one of the backward units.
inline bool isBackward(Unit unit) {
  return unit == Unit::BackwardInput || unit == Unit::BackwardWeight;
}

/// The name that the op has in the source model; empty if it has none. A merged
/// op has the first of its names.
llvm::StringRef getSourceName(mlir::Operation *op);
llvm::StringRef getSourceName(mlir::Location location);

} // namespace smp::ir

#endif // SMP_IR_PLACEMENT_H
