// SPDX-License-Identifier: Apache-2.0
#include "smp/compile/Compile.h"
#include "smp/ir/GraphExport.h"
#include "smp/passes/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace smp::compile {

void buildLoweringPipeline(OpPassManager &pm) {
  pm.addPass(passes::createDecomposePass());
  pm.addPass(passes::createFoldScalesPass());
  pm.addPass(passes::createChooseLayoutPass());
  pm.addPass(passes::createPackProductsPass());
  pm.addPass(createCSEPass());
  pm.addPass(passes::createHoistPreparePass());
  pm.addPass(passes::createFormGroupsPass());
}

void registerPipelines() {
  PassPipelineRegistration<>("smp-lower", "From a placed model to kernel groups.",
                             [](OpPassManager &pm) { buildLoweringPipeline(pm); });
}

FailureOr<codegen::ExportedProgram> compile(ModuleOp module, const ir::WeightStore &weights,
                                            const CompileOptions &options) {
  // Kernels are compiled side by side: their dialects must be there before.
  module.getContext()->loadAllAvailableDialects();
  std::map<std::string, Graph> graphs;
  for (auto entry : module.getOps<ir::EntryOp>()) {
    FailureOr<Graph> graph = ir::exportGraph(entry);
    if (failed(graph))
      return failure();
    graphs[entry.getSymName().str()] = std::move(*graph);
  }
  PassManager pm(module.getContext());
  buildLoweringPipeline(pm);
  if (failed(pm.run(module)))
    return failure();
  return codegen::exportProgram(module, std::move(graphs), weights, options.exporting);
}

} // namespace smp::compile
