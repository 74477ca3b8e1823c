// SPDX-License-Identifier: Apache-2.0
// Passes over stages of groups, before they are a program.

#ifndef SMP_CODEGEN_EXPORT_PASSES_H
#define SMP_CODEGEN_EXPORT_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace smp::codegen {

#define GEN_PASS_DECL
#include "smp/codegen/export/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smp/codegen/export/Passes.h.inc"

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_PASSES_H
