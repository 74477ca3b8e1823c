// SPDX-License-Identifier: Apache-2.0
// smp-opt: runs passes over .mlir text, one at a time or as named pipelines.

#include "mlir/InitAllDialects.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "smp/base/AtomicFile.h"
#include "smp/compile/Compile.h"
#include "smp/compile/Nesting.h"
#include "smp/passes/NameKeeper.h"
#include "smp/tools/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace mlir;

static llvm::cl::opt<bool> verifyNames(
    "verify-names",
    llvm::cl::desc("Fail when a pass loses a name or changes a pin"));

/// What the flags ask for; with --verify-names every pass is watched for the
/// names it loses.
static MlirOptMainConfig readFlags() {
  MlirOptMainConfig fromFlags = MlirOptMainConfig::createFromCLOptions();
  if (!verifyNames)
    return fromFlags;
  MlirOptMainConfig config = fromFlags;
  config.setPassPipelineSetupFn([fromFlags](PassManager &manager) {
    manager.addInstrumentation(smp::passes::createNameGuard());
    return fromFlags.setupPassPipeline(manager);
  });
  return config;
}

/// mlir-opt's work. False: it has said itself what is wrong.
static smp::StatusOr<bool> run(const std::string &inputPath,
                               const std::string &outputPath,
                               const MlirOptMainConfig &config,
                               DialectRegistry &registry) {
  if (inputPath == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "smp-opt: reads from the terminal; Ctrl-D ends it\n";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, &error);
  if (!input)
    return smp::unavailable(error);
  SMP_RETURN_IF_ERROR(
      smp::compile::checkNesting(input->getBuffer()).in(inputPath));
  if (outputPath == "-") // What comes before an error is shown, too.
    return succeeded(
        MlirOptMain(llvm::outs(), std::move(input), registry, config));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(MlirOptMain(stream, std::move(input), registry, config)))
    return false;
  smp::Status written = smp::writeFile(outputPath, text);
  return written.ok() ? smp::StatusOr<bool>(true) : written;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  smp::startTool("smp-opt");
  DialectRegistry registry;
  smp::compile::registerDialects(registry);
  registerAllDialects(registry);
  registerTransformsPasses();
  smp::compile::registerPasses();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "smp's pass driver\n", registry);
  MlirOptMainConfig config = readFlags();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  smp::StatusOr<bool> isGood = run(input, output, config, registry);
  const int code = smp::endTool(isGood.status());
  return isGood.ok() && !*isGood ? 1 : code;
}
