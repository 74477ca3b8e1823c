// SPDX-License-Identifier: Apache-2.0
// How one parameter follows its gradient.

#ifndef SMP_PASSES_TRAINING_LIB_UPDATERULES_H
#define SMP_PASSES_TRAINING_LIB_UPDATERULES_H

#include "UpdateBuilder.h"
#include "smp/model/Optimizer.h"

namespace smp::passes {

/// The numbers of a step that updates need: f64 scalars, all made by one part
/// of the graph, and their forms in other element types.
class StepNumbers {
public:
  /// Reads the step's number and the variables that a caller may set between
  /// steps. On failure an error has been emitted.
  static mlir::FailureOr<StepNumbers> make(UpdateBuilder &b,
                                           const Optimizer &o);

  /// Assigns the number of the next step.
  void countStep();

  /// With the scale that the caller set.
  mlir::Value learningRate() const { return rate; }
  /// The limit of the norm that the caller set.
  mlir::Value clipNorm() const { return clip; }
  /// 1 - rate * decay.
  mlir::Value shrink();
  mlir::Value weightDecay() const { return decay; }
  /// rate / (1 - beta1^t), and sqrt(1 - beta2^t).
  mlir::Value correctedRate();
  mlir::Value rootCorrection();

  /// `number` as the element type of `like`, for every element of it.
  mlir::Value spread(mlir::Value number, mlir::Value like);

private:
  StepNumbers(UpdateBuilder &b, const Optimizer &o)
      : b(&b), o(&o), part(b.part()) {}
  mlir::Value correction(double beta);
  mlir::Value &once(llvm::StringRef name, llvm::function_ref<mlir::Value()>);

  UpdateBuilder *b;
  const Optimizer *o;
  int64_t part; ///< Of the numbers.
  mlir::Value rate, decay, clip, count, next;
  ir::VariableOp counter;
  llvm::StringMap<mlir::Value> made;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> converted;
};

/// Gives `variable` its value for the next step, and its slots theirs.
/// `gradient` is whole; `decays` says whether weight decay is for it. On
/// failure an error has been emitted.
mlir::LogicalResult buildUpdate(UpdateBuilder &b, const Optimizer &o,
                                StepNumbers &numbers, ir::VariableOp variable,
                                mlir::Value gradient, bool decays);

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_UPDATERULES_H
