// SPDX-License-Identifier: Apache-2.0
// Values that are watched, and what only watches.

#ifndef SMP_IR_TAPS_H
#define SMP_IR_TAPS_H

#include "mlir/IR/Builders.h"
#include "smp/ir/Smp.h"

namespace smp::ir {

/// On an op that computes for taps alone: a unit.
inline constexpr llvm::StringLiteral kWatchesAttr = "smp.watches";
/// On an entry: the symbol of the entry whose step it shows, a twin's.
inline constexpr llvm::StringLiteral kTwinOfAttr = "smp.twin_of";
/// On an entry's result: how much of a value it shows (TapKindAttr), what that
/// value is to the entry (TapRoleAttr), and its type.
inline constexpr llvm::StringLiteral kTapAttr = "smp.tap";
inline constexpr llvm::StringLiteral kTapRoleAttr = "smp.tap_role";
inline constexpr llvm::StringLiteral kTapTypeAttr = "smp.tap_type";
/// On a module: the names of watched values that were folded into others before
/// kernels are made, an array of strings.
inline constexpr llvm::StringLiteral kFoldedTapsAttr = "smp.folded_taps";

/// What the derived name begins with of the gradient of a named value, and ends
/// with the value's name.
inline constexpr llvm::StringLiteral kOutputGradientPrefix = "output_gradient/";

/// Whether the op is there for somebody who watches. What becomes of other ops
/// must not depend on it: a step gives the same bits whoever watches.
bool isWatcher(mlir::Operation *op);

/// Makes watchers of the ops that a builder creates, where what they watch is.
struct Watching : mlir::OpBuilder::Listener {
  /// `watched`: null where nothing places it.
  explicit Watching(mlir::Operation *watched) : watched(watched) {}
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;
  mlir::Operation *watched;
};

/// Those uses that the fate of the op may depend on: of an op that only watches
/// all, of another those that do not only watch.
inline auto readingUsesOf(mlir::Operation *op) {
  return llvm::make_filter_range(op->getUses(),
                                 [isAny = isWatcher(op)](mlir::OpOperand &use) {
                                   return isAny || !isWatcher(use.getOwner());
                                 });
}

/// Who has them.
inline auto readersOf(mlir::Operation *op) {
  return llvm::map_range(readingUsesOf(op),
                         [](mlir::OpOperand &use) { return use.getOwner(); });
}

/// Whether exactly one use of an op's result is such a one.
bool hasOneReader(mlir::Value value);

/// Takes the taps of a value away which is not computed any more, and lists
/// their names in the module.
void foldTaps(mlir::Value value);

} // namespace smp::ir

#endif // SMP_IR_TAPS_H
