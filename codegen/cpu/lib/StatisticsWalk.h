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
};

/// Works on elements in their compute type: sums of 1024 are formed in it, and
/// these added up in f64. `isInF64`: all is f64 from the start.
class StatisticsWalk {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// What is formed of each element: candidates for the least of all, then
  /// summands, the last of which are squared.
  struct Plan {
    unsigned numExtremes, numSums, numSquares;
    std::function<Values(mlir::Value x)> map;
    bool isInF64 = false; ///< And a NaN is the least; else sums tell of it.

    unsigned numStates() const { return numExtremes + numSums; }
    bool isExtreme(unsigned i) const { return i < numExtremes; }
    bool isSquare(unsigned i) const { return i >= numStates() - numSquares; }
  };

  StatisticsWalk(ElementEmitter &emitter, const ElementBlock &block, Plan plan)
      : emitter(emitter), b(emitter.builder), loc(emitter.location),
        block(block), plan(std::move(plan)),
        chains(this->plan.isInF64 ? 1 : 2) {}

  /// Extremes in the walk's type, sums in f64.
  Values emit();

private:
  Values start();
  Values emitVectors(mlir::Value turns);
  Values emitRun(mlir::Value low, mlir::Value high, mlir::ValueRange extremes);
  Values take(const Index &at);
  mlir::Value least(mlir::Value x, mlir::Value y);
  mlir::Value join(unsigned i, mlir::Value x, mlir::Value y);
  mlir::Value joinLanes(unsigned i, mlir::Value vector);
  mlir::Value accumulate(unsigned i, mlir::Value sum, mlir::Value x);
  /// Of what states are while a run is walked.
  mlir::Value number(double value);
  mlir::Value f64(double value);
  int64_t perTurn() const { return chains * emitter.lanes; }

  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const ElementBlock &block;
  const Plan plan;
  /// Vectors side by side, so that additions need not wait for each other.
  const int64_t chains;
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSWALK_H
