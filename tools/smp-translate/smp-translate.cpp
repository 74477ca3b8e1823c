// SPDX-License-Identifier: Apache-2.0
// smp-translate: other formats to .mlir text.

#include "mlir/IR/MLIRContext.h"
#include "smp/ir/Smp.h"
#include "smp/serialization/AtomicFile.h"
#include "smp/tools/ImportOptions.h"
#include "llvm/Support/CommandLine.h"
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
             "Without it the text is printed and no weights are written"));
static cl::list<std::string> dims(
    "dim", cl::value_desc("name=size"), cl::cat(category),
    cl::desc("Fix a symbolic dimension; input[i] names one without a name"));
static cl::list<std::string>
    constants("constant", cl::value_desc("name=x.npy"), cl::cat(category),
              cl::desc("Fix an input, such as one that holds a shape"));
static cl::list<std::string> trainable(
    "trainable", cl::value_desc("glob"), cl::cat(category),
    cl::desc("Make the float initialisers of these names parameters, and no "
             "others; default: weights and biases of layers"));
static cl::opt<std::string> pins(
    "pins", cl::value_desc("pins.json"), cl::cat(category),
    cl::desc("Pin nodes to partitions: {\"encoder/*\": 0, \"decoder/*\": 1}"));
static cl::opt<int64_t>
    partitions("partitions", cl::value_desc("N"), cl::cat(category),
               cl::init(0),
               cl::desc("Number of partitions; default: as many as pins name"));
static cl::opt<std::string>
    configuration("configuration", cl::value_desc("name"), cl::cat(category),
                  cl::desc("Which of the model's device configurations holds"));

/// The module with the names of ops and values, which are locations.
static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  stream << "\n";
  return text;
}

static Status writeText(const std::string &text, const std::string &path) {
  if (path == "-") {
    llvm::outs() << text;
    return Status();
  }
  StatusOr<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  SMP_RETURN_IF_ERROR(file->write(std::as_bytes(std::span(text))));
  return file->commit();
}

static Status translate() {
  StatusOr<OnnxOptions> options = readImportArguments(
      {dims, constants, trainable, pins, configuration, partitions});
  if (!options.ok())
    return options.status();
  llvm::SmallString<256> weightsPath(outputPath);
  llvm::sys::path::replace_extension(weightsPath, ".safetensors");
  bool hasFile = outputPath != "-";
  if (hasFile)
    options->weightsFile = llvm::sys::path::filename(weightsPath);
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false); // Whole models, at times.
  StatusOr<ImportedModel> model =
      importModel(&context, importOnnxPath, *options);
  if (!model.ok())
    return model.status();
  if (hasFile)
    SMP_RETURN_IF_ERROR(writeWeights(model->weights, weightsPath.str().str()));
  return writeText(print(*model->module), outputPath);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Turns a model into the text that smp-opt and smp-compile read.\n");
  Status status = translate();
  if (status.ok())
    return 0;
  llvm::errs() << "smp-translate: " << status.message() << "\n";
  return 1;
}
