// SPDX-License-Identifier: Apache-2.0
// A walk over a block of elements that forms extremes and sums of what a
// function makes of each. The order is a matter of the length and the level.

#ifndef SMP_CODEGEN_CPU_STATISTICSWALK_H
#define SMP_CODEGEN_CPU_STATISTICSWALK_H

#include "smp/codegen/Reducer.h"
#include "smp/codegen/cpu/KernelFunction.h"

namespace smp::codegen::cpu {

/// Elements one after the other, in memory.
struct ElementBlock {
  mlir::Value memory;
  mlir::Type element;
  Index first;
  mlir::Value length; ///< An index.
  int64_t most;       ///< What the length can be.
  /// From each element to one that is fetched to a cache meanwhile.
  Index ahead = 0;
};

/// Works on elements in their compute type: sums of a run of vectors are formed
/// in it, and these added up in f64. `isInF64`: all is f64 from the start.
class StatisticsWalk {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  enum class Fold { Least, Greatest, Sum, SquareSum };
  struct Plan {
    llvm::SmallVector<Fold> folds;
    /// Of each element, what each fold takes.
    std::function<Values(mlir::Value x)> map;
    bool isInF64 = false; ///< And a NaN is an extreme; else sums tell of it.
  };

  StatisticsWalk(ElementEmitter &emitter, const ElementBlock &block, Plan plan)
      : emitter(emitter), b(emitter.builder), loc(emitter.location),
        block(block), plan(std::move(plan)) {}

  /// What each fold gives: extremes in the walk's type, sums in f64.
  Values emit();

private:
  Values start();
  Values emitVectors(mlir::Value vectors);
  Values emitRun(mlir::Value low, mlir::Value high, mlir::ValueRange states);
  void prefetch(const Index &vector);
  Values take(const Index &at);
  bool isSum(size_t i) const { return plan.folds[i] >= Fold::Sum; }
  /// A state of the fold with one more number, and with another state.
  mlir::Value add(size_t i, mlir::Value state, mlir::Value x);
  mlir::Value join(size_t i, mlir::Value state, mlir::Value other);
  mlir::Value joinLanes(size_t i, mlir::Value vector);
  mlir::Value number(double value, bool isInF64);

  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const ElementBlock &block;
  const Plan plan;
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSWALK_H
