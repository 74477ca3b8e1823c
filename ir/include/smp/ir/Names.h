// SPDX-License-Identifier: Apache-2.0
// Names from the source model. An op's name is its NameLoc, whose child holds
// the names of its results where they differ; merged ops fuse theirs.

#ifndef SMP_IR_NAMES_H
#define SMP_IR_NAMES_H

#include "smp/ir/Smp.h"
#include <list>

namespace smp::ir {

/// On a module: the names of values that no pass can show any more because
/// nothing computes them, an array of strings.
inline constexpr llvm::StringLiteral kRemovedNamesAttr = "smp.removed_names";

/// All names at the location, of ops and of values, the first first.
llvm::SmallVector<mlir::StringAttr> getSourceNames(mlir::Location location);

/// Names that values get beside their own. They are kept aside until apply()
/// adds them to the locations, so that a value which many others turn out to be
/// equal to costs no more than these have names.
class PendingNames {
public:
  /// Those at `names`, for `value`.
  void add(mlir::Value value, mlir::Location names);
  /// All that `from` has or would get, for `value`, which takes its place.
  void move(mlir::Operation *from, mlir::Value value);
  /// Before `op` is erased: what it would have got.
  llvm::SmallVector<mlir::StringAttr> take(mlir::Operation *op);
  /// Adds them, after those that are there.
  void apply();

private:
  using Names = std::list<mlir::Location>; ///< Can be moved in one step.

  llvm::DenseMap<mlir::Value, Names> pending;
};

/// The location of an op that computes a part of what the op at `location`
/// did: it has no name of its own, and getOriginName() tells whose part it is.
mlir::Location partOf(mlir::Location location);

/// The location with a name for what is computed there, which is none of the
/// source model: getSourceNames() does not have it, and passes do not keep it
/// where its value is not computed any more.
mlir::Location withDerivedName(mlir::Location location, mlir::StringAttr name);
/// Those names, the first first.
llvm::SmallVector<mlir::StringAttr> getDerivedNames(mlir::Location location);

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
