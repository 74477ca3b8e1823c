// SPDX-License-Identifier: Apache-2.0
#include "smp/import/OnnxImport.h"
#include "Importer.h"
#include "Joins.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace smp {

static FailureOr<ImportedModel> fail(MLIRContext *context, StringRef name,
                                     const Twine &message) {
  emitError(NameLoc::get(StringAttr::get(context, name)))
      << name << ": " << message;
  return failure();
}

FailureOr<ImportedModel> importOnnx(MLIRContext *context, StringRef bytes,
                                    StringRef name, StringRef folder,
                                    const OnnxOptions &options) {
  context->loadDialect<ir::SmpDialect>();
  std::string reason;
  std::unique_ptr<onnx::ModelProto> model = frontend::parseModel(bytes, reason);
  if (!model)
    return fail(context, name, reason);
  if (!model->has_graph())
    return fail(context, name, "holds no graph; it is no ONNX model");
  frontend::Dimensions dims;
  if (!dims.prepare(model->graph(), options, reason))
    return fail(context, name, reason);
  frontend::ModelTensors tensors(folder, options.externalData);
  frontend::RowNumbers rows;
  frontend::Importer importer(context, options, name, tensors, rows);
  FailureOr<ImportedModel> imported = importer.run(*model, dims);
  if (failed(imported))
    return failure();
  imported->weightFiles = tensors.paths();
  if (!dims.hasBatch())
    return imported;
  frontend::decideJoins(
      *imported, dims, rows,
      [&](const frontend::Dimensions &more, frontend::RowNumbers &ofMore,
          std::string &error) -> std::optional<ImportedModel> {
        ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
          error = diagnostic.str();
          return success();
        });
        frontend::Importer again(context, options, name, tensors, ofMore);
        FailureOr<ImportedModel> result = again.run(*model, more);
        return succeeded(result) ? std::optional(std::move(*result))
                                 : std::nullopt;
      });
  return imported;
}

FailureOr<ImportedModel> importOnnx(MLIRContext *context, StringRef path,
                                    const OnnxOptions &options) {
  StringRef name = llvm::sys::path::filename(path);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(context, path, "cannot read it: " + file.getError().message());
  return importOnnx(context, (*file)->getBuffer(), name,
                    llvm::sys::path::parent_path(path), options);
}

std::optional<NamedTensor> parseOnnxTensor(StringRef bytes,
                                           std::string &error) {
  onnx::TensorProto tensor;
  if (bytes.size() > size_t(INT32_MAX) ||
      !tensor.ParseFromArray(bytes.data(), int(bytes.size()))) {
    error = "the bytes are no ONNX tensor";
    return std::nullopt;
  }
  frontend::ExternalFiles files(/*folder=*/"", /*allowed=*/"");
  auto weight = frontend::readTensor(tensor, files, error);
  if (!weight)
    return std::nullopt;
  return NamedTensor{
      tensor.name(),
      {weight->type, {weight->bytes.begin(), weight->bytes.end()}}};
}

} // namespace smp
