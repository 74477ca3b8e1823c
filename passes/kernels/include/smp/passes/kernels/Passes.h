// SPDX-License-Identifier: Apache-2.0
// Passes that make groups of ops that become kernels.

#ifndef SMP_PASSES_KERNELS_PASSES_H
#define SMP_PASSES_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace smp::passes {

#define GEN_PASS_DECL
#include "smp/passes/kernels/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smp/passes/kernels/Passes.h.inc"

} // namespace smp::passes

#endif // SMP_PASSES_KERNELS_PASSES_H
