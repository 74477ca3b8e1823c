// SPDX-License-Identifier: Apache-2.0
#include "mlir/Pass/PassManager.h"
#include "smp/passes/pipeline/Passes.h"

using namespace mlir;

namespace smp::passes {

void buildStagePipeline(OpPassManager &manager) {
  manager.addPass(createInsertTransfersPass());
  manager.addPass(createOutlineStagesPass());
}

void registerStagePipeline() {
  PassPipelineRegistration<>(
      "smp-stage", "Insert transfers and outline stages.", buildStagePipeline);
}

} // namespace smp::passes
