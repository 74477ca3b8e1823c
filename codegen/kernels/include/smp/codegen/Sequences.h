// SPDX-License-Identifier: Apache-2.0
// Parts of ops that fix the order of their elements.

#ifndef SMP_CODEGEN_SEQUENCES_H
#define SMP_CODEGEN_SEQUENCES_H

#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

/// What a scan carries from element to element, and gives at each.
class ScanSteps {
public:
  ScanSteps(ElementEmitter &emitter, ir::ScanOp scan);

  /// Whether what is carried depends on the order in which it was combined:
  /// sums and products of floats, which are carried in f64.
  bool isOrdered() const { return isInF64; }
  mlir::Value start() const;
  /// What is carried on with `element`, and what is shown there: rounded as it
  /// is stored, not as it is carried.
  std::pair<mlir::Value, mlir::Value> step(mlir::Value carried,
                                           mlir::Value element) const;
  mlir::Value combine(mlir::Value carried, mlir::Value element) const;

private:
  ElementEmitter &emitter;
  mutable ir::ScanOp scan;
  mlir::Type element, carriedType;
  bool isInF64;
};

/// How many lines along its axis the op scans.
int64_t countLines(ir::ScanOp scan);
/// Scans line number `line`, element by element; `store` gets each result, of
/// compute type, and its position.
void emitScanLine(
    ElementEmitter &emitter, ir::ScanOp scan, const Index &line,
    llvm::function_ref<void(mlir::Value, const Position &)> store);

/// Whether element `value` is to stand before `other` whichever was first; of
/// equal ones neither is. NaNs count as greatest, and as equal to each other.
mlir::Value emitIsBefore(ElementEmitter &emitter, ir::TopKOp op,
                         mlir::Value value, mlir::Value other);

/// How a scatter combines what is there with an update. Not of Replace.
ir::ReduceKind reduceKindOf(ir::ScatterKind kind);

} // namespace smp::codegen

#endif // SMP_CODEGEN_SEQUENCES_H
