// SPDX-License-Identifier: Apache-2.0
// smp-translate: other formats to .mlir text.

#include "mlir/IR/MLIRContext.h"
#include "smp/ir/Smp.h"
#include "smp/serialization/AtomicFile.h"
#include "smp/tools/ImportFlags.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace smp;
namespace cl = llvm::cl;

static cl::OptionCategory category("Import");
static cl::opt<std::string>
    importOnnxPath("import-onnx", cl::Required, cl::value_desc("model.onnx"),
                   cl::cat(category),
                   cl::desc("The ONNX model to import (opset 7 to 22)"));
static cl::opt<std::string> outputPath(
    "o", cl::value_desc("model.mlir"), cl::cat(category), cl::init("-"),
    cl::desc("Where to write; the weights go beside it, as model.safetensors. "
             "Without it the text is printed and no weights are written"));
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
  StatusOr<OnnxOptions> options = importFlags.read(partitions);
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
