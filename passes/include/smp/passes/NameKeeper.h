// SPDX-License-Identifier: Apache-2.0
// Names and pins survive rewriting, and a check that they did.

#ifndef SMP_PASSES_NAMEKEEPER_H
#define SMP_PASSES_NAMEKEEPER_H

#include "smp/ir/Names.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <memory>

namespace mlir {
class PassInstrumentation;
}

namespace smp::passes {

/// Set on every rewriter of a normalising pass. When an op is replaced, the
/// values that replace it take its names, and their ops its placement unless a
/// user placed them; ops made on the way become parts of it, on the same
/// partition. Call finish() when the rewriting is done: it sets the names.
class NameKeeper : public mlir::RewriterBase::Listener {
public:
  using Listener::notifyOperationReplaced;
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange values) override;
  void notifyOperationErased(mlir::Operation *op) override;
  void notifyPatternBegin(const mlir::Pattern &pattern,
                          mlir::Operation *op) override;

  /// Gives values the names of those that they replaced, and lists in the
  /// module the names that are gone because their values were
  /// found to be of no use.
  void finish(mlir::ModuleOp module);

private:
  void place(mlir::Operation *op, mlir::Operation *replacement);

  /// Made since the pattern began.
  llvm::SetVector<mlir::Operation *> inserted;
  /// Replaced, not yet erased: their names are safe.
  llvm::DenseSet<mlir::Operation *> replaced;
  llvm::SetVector<mlir::StringAttr> removed;
  ir::PendingNames names; ///< Of what was replaced.
};

/// After each pass: fails it when a name is neither in the module nor listed as
/// removed, or when an op lost, changed or gained a `user` placement.
std::unique_ptr<mlir::PassInstrumentation> createNameGuard();

} // namespace smp::passes

#endif // SMP_PASSES_NAMEKEEPER_H
