// SPDX-License-Identifier: Apache-2.0
// smp-opt: runs passes over .mlir text, one at a time or as named pipelines.

#include "mlir/InitAllDialects.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"
#include "smp/passes/NameKeeper.h"
#include "smp/passes/Passes.h"
#include "smp/passes/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::cl::opt<bool> verifyNames(
    "verify-names",
    llvm::cl::desc("Fail when a pass loses a name or changes a pin"));

/// mlir-opt's work, with every pass watched for the names it loses.
static LogicalResult runVerifyingNames(StringRef inputFile,
                                       StringRef outputFile,
                                       DialectRegistry &registry) {
  MlirOptMainConfig fromFlags = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig config = fromFlags;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    manager.addInstrumentation(smp::passes::createNameGuard());
    return fromFlags.setupPassPipeline(manager);
  });
  std::string error;
  auto input = openInputFile(inputFile, &error);
  auto output = input ? openOutputFile(outputFile, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  DialectRegistry registry;
  registry.insert<smp::ir::SmpDialect>();
  registerAllDialects(registry);
  registerTransformsPasses();
  smp::passes::registerSmpPasses();
  smp::passes::registerSmpPipelines();
  smp::compile::registerPipelines();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "smp's pass driver\n", registry);
  return asMainReturnCode(
      verifyNames ? runVerifyingNames(input, output, registry)
                  : MlirOptMain(argc, argv, input, output, registry));
}
