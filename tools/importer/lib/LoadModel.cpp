// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/LoadModel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "smp/compile/Compile.h"
#include "smp/compile/Nesting.h"
#include "smp/ir/Smp.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

namespace smp {

/// Text has its dimensions, constants and pins in itself.
static Status checkNoFlags(const std::string &path, const ImportFlags &flags) {
  std::string option = flags.given();
  return option.empty()
             ? Status()
             : invalidArgument("--" + option + " is for ONNX models, and '" +
                               path + "' is MLIR text: write it there");
}

static StatusOr<ImportedModel> loadText(mlir::MLIRContext *context,
                                        const std::string &path) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(path, &error);
  if (!file)
    return unavailable(error);
  SMP_RETURN_IF_ERROR(compile::checkNesting(file->getBuffer()).in(path));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  ImportedModel model;
  model.module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
  if (!model.module)
    return invalidArgument(path +
                           " is no module of the smp dialect; see above");
  if (model.module->getOps<ir::EntryOp>().empty())
    return invalidArgument(path + " has no smp.entry: there is nothing to run");
  SMP_ASSIGN_OR_RETURN(model.weights,
                       compile::loadStoredWeights(
                           *model.module, llvm::sys::path::parent_path(path),
                           model.weightFiles));
  return model;
}

StatusOr<ImportedModel> loadModel(mlir::MLIRContext *context,
                                  const std::string &path,
                                  const ImportFlags &flags, int64_t partitions,
                                  std::optional<int64_t> size) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".mlir") {
    SMP_RETURN_IF_ERROR(checkNoFlags(path, flags));
    return loadText(context, path);
  }
  if (extension != ".onnx")
    return invalidArgument("'" + path + "' ends in neither .onnx nor .mlir");
  SMP_ASSIGN_OR_RETURN(OnnxOptions options, flags.read(partitions, size));
  return importModel(context, path, options);
}

} // namespace smp
