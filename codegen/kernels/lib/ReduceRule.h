// SPDX-License-Identifier: Apache-2.0
// Elements of ir::ReduceOp, and the loops that other reductions share with it.

#ifndef SMP_CODEGEN_LIB_REDUCERULE_H
#define SMP_CODEGEN_LIB_REDUCERULE_H

#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

/// Loops over `sizes`, row-major, with carried values.
llvm::SmallVector<mlir::Value>
nest(ElementEmitter &emitter, llvm::ArrayRef<int64_t> sizes,
     llvm::SmallVector<mlir::Value> carried,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(const Position &,
                                                       mlir::ValueRange)>
         body);

/// `value`, as a vector when `at` has the lane.
mlir::Value widen(ElementEmitter &emitter, mlir::Value value,
                  const Position &at);

/// The elements of the op's result at `positions`, which all have the lane or
/// none, by one loop for all of them.
llvm::SmallVector<mlir::Value> emitReduce(ElementEmitter &emitter,
                                          ir::ReduceOp op,
                                          llvm::ArrayRef<Position> positions);

} // namespace smp::codegen

#endif // SMP_CODEGEN_LIB_REDUCERULE_H
