// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of one loss.

#ifndef SMP_PASSES_TRAINING_LIB_REVERSEMODE_H
#define SMP_PASSES_TRAINING_LIB_REVERSEMODE_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/DenseSet.h"

namespace smp::passes {

/// Numbers ops and what is derived from them, over a whole module.
class OriginNumbers {
public:
  explicit OriginNumbers(mlir::ModuleOp module);
  /// The number of `op`, which gets one if it has none.
  mlir::IntegerAttr of(mlir::Operation *op);
  /// A number that no op has.
  int64_t fresh() { return next++; }

private:
  int64_t next = 0;
};

/// Builds, before a gradient op, the gradients that it asks for.
class ReverseMode {
public:
  ReverseMode(ir::GradientOp op, OriginNumbers &origins);

  /// One per result: null where the result has no use or nothing reaches the
  /// value. Fails, with a located error, on an op that has no gradient.
  /// Composites without a rule are decomposed on the way.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> run();

private:
  /// What an adjoint is kept for: the value, or the first read of its variable.
  mlir::Value keyOf(mlir::Value value) const;
  void findReads();
  /// Finds the ops that the loss depends on, in order; which values depend on
  /// those that a gradient is asked for, and which on the entry's inputs.
  void analyse();
  /// Decomposes the composites without a rule; false when there are none.
  bool decomposeAll();
  bool isVaried(mlir::Value value) const {
    return varied.contains(keyOf(value));
  }

  /// Takes the gradients of the op's results to its operands.
  mlir::LogicalResult visit(mlir::Operation *op);
  void contribute(mlir::Value value, mlir::Value gradient);
  /// The sum of all contributions so far, null if there are none.
  mlir::Value sumOf(mlir::Value value);
  /// Names the gradient of a result that has a name, for who watches it.
  static void nameGradient(mlir::Value result, mlir::Value gradient);
  /// Gives the new ops what an op derived from `origin` has.
  void mark(llvm::ArrayRef<mlir::Operation *> made, mlir::Operation *origin,
            llvm::ArrayRef<mlir::Value> forInputs);

  ir::GradientOp gradient;
  OriginNumbers &origins;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> firstReads;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> varied, fromInputs;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> contributions;
};

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_REVERSEMODE_H
