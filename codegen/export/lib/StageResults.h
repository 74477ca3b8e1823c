// SPDX-License-Identifier: Apache-2.0
// Which kernel writes what leaves a stage.

#ifndef SMP_CODEGEN_EXPORT_STAGERESULTS_H
#define SMP_CODEGEN_EXPORT_STAGERESULTS_H

#include "smp/ir/Smp.h"

namespace smp::codegen {

/// The value whose buffer `value` shares: reshapes only rename it.
mlir::Value rootOf(mlir::Value value);

/// Makes sure that each result of the stage, and each value that it assigns, is
/// written by a kernel of its own: copies what is an input, a variable, a
/// constant, or leaves twice. A variable is written where it lies when nothing
/// needs its old value after that, else at the end, by a copy.
void materializeResults(ir::StageOp stage);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_STAGERESULTS_H
