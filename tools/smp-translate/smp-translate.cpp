// SPDX-License-Identifier: Apache-2.0
// smp-translate: other formats to .mlir text.

#include "mlir/IR/MLIRContext.h"
#include "smp/base/AtomicFile.h"
#include "smp/ir/Smp.h"
#include "smp/tools/CommandLine.h"
#include "smp/tools/ImportFlags.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace smp;
namespace cl = llvm::cl;

static cl::OptionCategory category("Import");
static cl::opt<std::string>
    importOnnxPath("import-onnx", cl::Required, cl::value_desc("model.onnx"),
                   cl::cat(category),
                   cl::desc("The ONNX model to import (opset 7 to 28)"));
static cl::opt<std::string> outputPath(
    "o", cl::value_desc("model.mlir"), cl::cat(category), cl::init("-"),
    cl::desc("Where to write; the weights go beside it, as model.safetensors. "
             "Without it the text is printed; no weights are written then, nor "
             "beside a device, a fifo or a socket"));
static ImportFlags importFlags(category);
static cl::opt<int64_t>
    partitions("partitions", cl::value_desc("N"), cl::cat(category),
               cl::init(0),
               cl::desc("Number of partitions; default: as many as pins name"));

/// The module with the names of ops and values, which are locations.
static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << "\n";
  return text;
}

/// The path of the weights beside the text; empty where nothing lies beside it.
static StatusOr<std::string> chooseWeightsPath() {
  if (outputPath == "-")
    return std::string();
  SMP_ASSIGN_OR_RETURN(OutputPath output, OutputPath::follow(outputPath));
  if (output.isSpecial())
    return std::string();
  llvm::SmallString<256> path(outputPath);
  llvm::sys::path::replace_extension(path, ".safetensors");
  return path.str().str();
}

static Status translate() {
  SMP_RETURN_IF_ERROR(checkPartitions(partitions));
  SMP_ASSIGN_OR_RETURN(std::string weightsPath, chooseWeightsPath());
  SMP_ASSIGN_OR_RETURN(OnnxOptions options, importFlags.read(partitions));
  if (!weightsPath.empty())
    options.weightsFile = llvm::sys::path::filename(weightsPath);
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false); // Whole models, at times.
  SMP_ASSIGN_OR_RETURN(ImportedModel model,
                       importModel(&context, importOnnxPath, options));
  const std::string text = print(*model.module);
  if (weightsPath.empty())
    return writeOutput(text, outputPath);
  return writeFile(outputPath, std::as_bytes(std::span(text)),
                   [&] { return writeWeights(model.weights, weightsPath); });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  showVersion("smp-translate");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Turns a model into the text that smp-opt and smp-compile read.\n");
  return endTool("smp-translate", translate());
}
