// SPDX-License-Identifier: Apache-2.0
// Parts of ops that fix the order of their elements.

#ifndef SMP_CODEGEN_SEQUENCES_H
#define SMP_CODEGEN_SEQUENCES_H

#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

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
