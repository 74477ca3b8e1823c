// SPDX-License-Identifier: Apache-2.0
#include "ReadyToPlace.h"
#include "mlir/Pass/PassManager.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/passes/catalog/AllPasses.h"

namespace smp::test {

bool makeReadyToPlace(mlir::ModuleOp module,
                      const std::vector<std::string> &targets) {
  mlir::PassManager training(module.getContext());
  training.addPass(passes::createInferJoinsPass({.microbatches = 1}));
  training.addPass(passes::createLowerPrecisionPass());
  training.addPass(passes::createDifferentiatePass({.allowUnused = true}));
  training.addPass(passes::createOptimizePass());
  training.addPass(passes::createAccumulatePass());
  training.addPass(passes::createRecomputePass());
  training.addPass(passes::createCanonicalizePass());
  return succeeded(training.run(module)) &&
         succeeded(codegen::chooseTargets(module, targets, {}));
}

} // namespace smp::test
