// SPDX-License-Identifier: Apache-2.0
// smp-translate: other formats to .mlir text, and models to other formats.

#include "mlir/IR/MLIRContext.h"
#include "smp/base/AtomicFile.h"
#include "smp/ir/Smp.h"
#include "smp/tools/CommandLine.h"
#include "smp/tools/ExportOnnx.h"
#include "smp/tools/ExportSavedModel.h"
#include "smp/tools/LoadModel.h"
#include "smp/tools/ModuleToExport.h"
#include "smp/tools/NamedFiles.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace smp;
namespace cl = llvm::cl;

static cl::OptionCategory category("Translating");
static cl::opt<std::string>
    importOnnxPath("import-onnx", cl::value_desc("model.onnx"),
                   cl::cat(category),
                   cl::desc("The ONNX model to import (opset 7 to 28)"));
static cl::opt<std::string> exportOnnxPath(
    "export-onnx", cl::value_desc("MODEL"), cl::cat(category),
    cl::desc("The .smp, .mlir or .onnx model to export to ONNX (opset 20), for "
             "inputs of the size that it has"));
static cl::opt<std::string> exportSavedModelPath(
    "export-saved-model", cl::value_desc("MODEL"), cl::cat(category),
    cl::desc("The same model to export to a SavedModel of TensorFlow"));
static cl::opt<std::string> outputPath(
    "o", cl::value_desc("FILE"), cl::cat(category), cl::init("-"),
    cl::desc("Where to write. Of an import the weights go beside it, as "
             "model.safetensors; without it the text is printed, and no "
             "weights are written then, nor beside a device, a fifo or a "
             "socket. Of an export to ONNX they are inside, or beyond 1 GiB "
             "beside it as FILE.data. A SavedModel is a folder, which must not "
             "be there"));
static cl::opt<std::string> entryName(
    "entry", cl::value_desc("name"), cl::cat(category),
    cl::desc("The entry to export; default: the only one, or the only one that "
             "predicts"));
static cl::opt<std::string> checkpointPrefix(
    "checkpoint", cl::value_desc("PREFIX"), cl::cat(category),
    cl::desc("Export with a checkpoint's parameters and states: run/ckpt-3 for "
             "run/ckpt-3.json. Default: the model's own"));
static cl::opt<std::string>
    valuesPath("weights", cl::value_desc("w.safetensors"), cl::cat(category),
               cl::desc("The same from a file that has them by their names"));
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

static Status importOnnxModel() {
  SMP_RETURN_IF_ERROR(checkPartitions(partitions));
  SMP_ASSIGN_OR_RETURN(std::string weightsPath, chooseWeightsPath());
  SMP_ASSIGN_OR_RETURN(OnnxOptions options, importFlags.read(partitions));
  if (!weightsPath.empty())
    options.weightsFile = llvm::sys::path::filename(weightsPath);
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false); // Whole models, at times.
  SMP_ASSIGN_OR_RETURN(ImportedModel model,
                       importModel(&context, importOnnxPath, options));
  NamedFiles files;
  files.reads(importOnnxPath);
  files.reads(importFlags.files());
  files.reads(model.weightFiles);
  files.writes("-o", outputPath);
  files.writes("the file beside -o for many weights", weightsPath);
  SMP_RETURN_IF_ERROR(files.check());
  const std::string text = print(*model.module);
  if (weightsPath.empty())
    return writeOutput(text, outputPath);
  return writeFile(outputPath, std::as_bytes(std::span(text)),
                   [&] { return writeWeights(model.weights, weightsPath); });
}

static StatusOr<ExportedModel> readModelToExport(mlir::MLIRContext *context,
                                                 const std::string &path) {
  const ValuesFrom from{checkpointPrefix, valuesPath};
  const llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension != ".smp" && extension != ".mlir" && extension != ".onnx")
    return invalidArgument("'" + path +
                           "' ends in none of .smp, .mlir and .onnx");
  if (extension != ".smp") {
    SMP_ASSIGN_OR_RETURN(ImportedModel model,
                         loadModel(context, path, importFlags, 0));
    return readModuleToExport(std::move(model), entryName, from);
  }
  if (const std::string option = importFlags.given(); !option.empty())
    return invalidArgument("--" + option + " is for ONNX models, and '" + path +
                           "' is a program");
  return readProgramToExport(path, entryName, from);
}

static Status writeExported(const ExportedModel &model) {
  if (!exportSavedModelPath.empty())
    return writeSavedModel(model, outputPath);
  if (outputPath == "-") {
    SMP_ASSIGN_OR_RETURN(const std::string bytes, serializeOnnx(model));
    return writeOutput(bytes, outputPath);
  }
  NamedFiles files;
  files.reads(exportOnnxPath);
  files.reads(importFlags.files());
  files.reads(model.files);
  files.writes("-o", outputPath);
  files.writes("the file of weights beside -o", outputPath + ".data");
  SMP_RETURN_IF_ERROR(files.check());
  return writeOnnx(model, outputPath);
}

static Status exportModel() {
  const bool isOnnx = !exportOnnxPath.empty();
  if (partitions.getNumOccurrences())
    return invalidArgument("--partitions is for --import-onnx; " +
                           std::string(isOnnx ? "ONNX" : "TensorFlow") +
                           " has none");
  if (!isOnnx && outputPath == "-")
    return invalidArgument("a SavedModel is a folder; give its path with -o");
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false);
  context.loadDialect<ir::SmpDialect>();
  SMP_ASSIGN_OR_RETURN(const ExportedModel model,
                       readModelToExport(&context, isOnnx
                                                       ? exportOnnxPath
                                                       : exportSavedModelPath));
  return writeExported(model);
}

static Status translate() {
  if (int(!importOnnxPath.empty()) + int(!exportOnnxPath.empty()) +
          int(!exportSavedModelPath.empty()) !=
      1)
    return invalidArgument(
        "give one of --import-onnx, --export-onnx and --export-saved-model");
  if (importOnnxPath.empty())
    return exportModel();
  for (const cl::opt<std::string> *option :
       {&entryName, &checkpointPrefix, &valuesPath})
    if (option->getNumOccurrences())
      return invalidArgument("--" + option->ArgStr.str() +
                             " is for --export-onnx and --export-saved-model");
  return importOnnxModel();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  startTool("smp-translate");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Turns an ONNX model into the text that smp-opt and smp-compile read, or "
      "a model of smp into ONNX or a SavedModel of TensorFlow.\n");
  return endTool(translate());
}
