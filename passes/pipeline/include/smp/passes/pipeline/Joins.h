// SPDX-License-Identifier: Apache-2.0
// How the values of microbatches become outputs, for people.

#ifndef SMP_PASSES_PIPELINE_JOINS_H
#define SMP_PASSES_PIPELINE_JOINS_H

#include "mlir/IR/BuiltinOps.h"

namespace smp::passes {

/// Prints what rows are along, and what becomes of each output: a line each.
/// `smp-infer-joins` has run.
void printJoins(llvm::raw_ostream &os, mlir::ModuleOp module);

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_JOINS_H
