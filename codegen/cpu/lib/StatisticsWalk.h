// SPDX-License-Identifier: Apache-2.0
// A walk over a block of elements that forms extremes and sums of what a
// function gives for each. The order is a matter of the length and the level.

#ifndef SMP_CODEGEN_CPU_STATISTICSWALK_H
#define SMP_CODEGEN_CPU_STATISTICSWALK_H

#include "smp/codegen/Reducer.h"
#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// Works on elements in their compute type: sums of a run of vectors are formed
/// in it, and these added up in f64. `isInF64`: all is f64 from the start.
class StatisticsWalk {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  enum class Fold { Least, Greatest, Sum, SquareSum };
  struct Plan {
    llvm::SmallVector<Fold> folds;
    mlir::Type type; ///< That extremes are of, and sums of a run.
    /// What each fold takes at a place of the block: a vector from there on, if
    /// it has a lane, or one number.
    std::function<Values(const Index &at)> take;
    bool isInF64 = false; ///< And a NaN is an extreme; else sums tell of it.
  };

  /// `length`: an index, of kStatisticsBlock at most.
  StatisticsWalk(ElementEmitter &emitter, mlir::Value length, Plan plan);

  /// What each fold gives: extremes in the walk's type, sums in f64.
  Values emit() { return finish(emitVectors()); }
  /// The two parts of it: of whole vectors, lane by lane; and with the lanes
  /// together and the elements that are left.
  Values emitVectors();
  Values finish(Values states);
  /// The first of the elements that are left.
  mlir::Value firstLeft() const { return left; }
  /// What emitVectors() gives, in type.
  llvm::SmallVector<mlir::Type> stateTypes();

private:
  Values start();
  Values emitRun(mlir::Value low, mlir::Value high, mlir::ValueRange states);
  bool isSum(size_t i) const { return plan.folds[i] >= Fold::Sum; }
  /// A state of the fold with one more number, and with another state.
  mlir::Value add(size_t i, mlir::Value state, mlir::Value x);
  mlir::Value join(size_t i, mlir::Value state, mlir::Value other);
  mlir::Value joinLanes(size_t i, mlir::Value vector);

  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const mlir::Value length;
  const Plan plan;
  mlir::Value vectors, left;
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSWALK_H
