// SPDX-License-Identifier: Apache-2.0
#include "smp/import/OnnxImport.h"
#include "Importer.h"
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
  frontend::Importer importer(context, options, name, folder);
  return importer.run(*model);
}

FailureOr<ImportedModel> importOnnx(MLIRContext *context, StringRef path,
                                    const OnnxOptions &options) {
  StringRef name = llvm::sys::path::filename(path);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(context, name, "cannot read it: " + file.getError().message());
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
