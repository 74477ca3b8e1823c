// SPDX-License-Identifier: Apache-2.0
// Which of two elements an smp.arg_reduce chooses, whatever the loops around.

#ifndef SMP_CODEGEN_ARGREDUCE_H
#define SMP_CODEGEN_ARGREDUCE_H

#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

/// Whether `later`, an element behind `best`, takes its place. Both are of
/// compute type, or vectors of it.
mlir::Value emitTakesPlace(ElementEmitter &emitter, ir::ArgReduceOp op,
                           mlir::Value later, mlir::Value best);

} // namespace smp::codegen

#endif // SMP_CODEGEN_ARGREDUCE_H
