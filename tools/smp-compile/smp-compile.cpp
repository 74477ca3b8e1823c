// SPDX-License-Identifier: Apache-2.0
// smp-compile: a model to a program file.

#include "Flags.h"
#include "Models.h"
#include "Options.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/base/OutputPath.h"
#include "smp/tools/CommandLine.h"
#include "smp/tools/Inspect.h"
#include "smp/tools/NamedFiles.h"
#include "smp/tools/Progress.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace smp;
using namespace smp::flags;

/// Of all that is written, as long as nothing is. Who compiles a reproducer
/// again has it.
static Status checkFiles(const std::vector<ImportedModel> &models,
                         compile::CompileOptions &options) {
  const passes::PlacementRequest &placement = options.placement;
  NamedFiles files;
  files.reads({inputPath, configPath, optimizer, scheduleFile, captureConfig,
               costs, cubin, placement.loadPlacement});
  files.reads(importFlags.files());
  for (const ImportedModel &model : models)
    files.reads(model.weightFiles);
  files.writes("-o", outputPath);
  if (!weightsFile.empty()) {
    SMP_ASSIGN_OR_RETURN(const std::string beside,
                         pathBeside(outputPath, weightsFile));
    files.writes("--weights", beside);
  }
  files.writes(savePlacement.getNumOccurrences() ? "--save-placement"
                                                 : "partition_file",
               placement.savePlacement);
  if (files.has(options.reproducer))
    options.reproducer.clear();
  return files.check();
}

static Status run() {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // Whole models, at times.
  context.loadDialect<ir::SmpDialect>();
  SMP_RETURN_IF_ERROR(checkTargets(&context));
  SMP_ASSIGN_OR_RETURN(compile::CompileOptions options, readOptions());
  std::optional<CaptureChoice> choice;
  Status chosen;
  SMP_RETURN_IF_ERROR(readCapture(choice, options, chosen));
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context, llvm::errs());
  Progress progress;
  progress.update(0, 0, "reading " + inputPath);
  SMP_ASSIGN_OR_RETURN(std::vector<ImportedModel> models,
                       readModels(&context, options));
  SMP_RETURN_IF_ERROR(checkFiles(models, options));
  options.exporting.progress = [&](size_t done, size_t total) {
    progress.update(done, total, "compiling kernels");
  };
  progress.update(0, 0, "placing and lowering");
  // Linking resets every llvm::cl option of the process.
  const std::string input = inputPath, output = outputPath;
  auto exported = compileModels(models, options);
  SMP_RETURN_IF_ERROR(chosen);
  if (failed(exported))
    return invalidArgument(input + " was not compiled; see above");
  progress.update(0, 0, "writing " + output);
  if (options.plan)
    *options.plan << inspectMemory(exported->program,
                                   uint64_t(options.placement.memoryLimit));
  return compile::writeExported(*exported, output);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  startTool("smp-compile");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a model to a program that smp's runtime executes.\n");
  return endTool(run());
}
