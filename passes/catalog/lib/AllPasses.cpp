// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/catalog/AllPasses.h"

namespace smp::passes {

void registerAllPasses() {
  registerSmpPasses();
  registerSmpKernelsPasses();
  registerSmpPipelinePasses();
  registerSmpPlacementPasses();
  registerSmpTrainingPasses();
  registerPlacementPipeline();
  registerStagePipeline();
}

} // namespace smp::passes
