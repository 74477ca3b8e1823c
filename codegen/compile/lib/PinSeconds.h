// SPDX-License-Identifier: Apache-2.0
// What pins cost, for people who look at the program later.

#ifndef SMP_CODEGEN_COMPILE_PINSECONDS_H
#define SMP_CODEGEN_COMPILE_PINSECONDS_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/model/Graph.h"
#include "smp/passes/placement/Explain.h"

namespace smp::compile {

/// Gives each pinned op of the module's graphs "smp.pin_seconds": by how much
/// the slowest partition would take less per microbatch without the pin, as
/// explained. Nothing where that is not known, or the op has no name.
void notePinSeconds(mlir::ModuleOp module,
                    const passes::Explanation &explanation,
                    std::map<std::string, Graph> &graphs);

} // namespace smp::compile

#endif // SMP_CODEGEN_COMPILE_PINSECONDS_H
