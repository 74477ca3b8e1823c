// SPDX-License-Identifier: Apache-2.0
// Passes that make stages of entries.

#ifndef SMP_PASSES_PIPELINE_PASSES_H
#define SMP_PASSES_PIPELINE_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace smp::passes {

#define GEN_PASS_DECL
#include "smp/passes/pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smp/passes/pipeline/Passes.h.inc"

/// Placed entries become stages and transfers.
void buildStagePipeline(mlir::OpPassManager &manager);

/// Makes `smp-stage` known to smp-opt.
void registerStagePipeline();

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_PASSES_H
