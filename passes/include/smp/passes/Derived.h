// SPDX-License-Identifier: Apache-2.0
// Which values are the same in every step.

#ifndef SMP_PASSES_DERIVED_H
#define SMP_PASSES_DERIVED_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/DenseSet.h"

namespace smp::passes {

/// Knows which values of a module's entries depend on nothing but constants and
/// variables that no entry assigns.
/// As a rewriter's listener it follows what the rewriter erases, and places the
/// constants that ops fold to where those ops were.
class DerivedValues : public mlir::RewriterBase::Listener {
public:
  explicit DerivedValues(mlir::ModuleOp module);

  /// O(1) amortised.
  bool contains(mlir::Value value);
  /// Whether the value also depends on some variable: it cannot be computed by
  /// the compiler, only at load.
  bool needsVariables(mlir::Value value);

  void notifyOperationErased(mlir::Operation *op) override { known.erase(op); }
  using Listener::notifyOperationReplaced;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange values) override;

private:
  enum class Kind : uint8_t { Constant, Variable, Varying };
  Kind kindOf(mlir::Value value);
  Kind find(mlir::Operation *op) const;

  llvm::DenseSet<mlir::StringAttr> assigned;
  llvm::DenseMap<mlir::Operation *, Kind> known;
};

} // namespace smp::passes

#endif // SMP_PASSES_DERIVED_H
