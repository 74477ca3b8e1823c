// SPDX-License-Identifier: Apache-2.0
// One import of bytes that may be anything.

#ifndef SMP_TESTS_SUPPORT_IMPORTONCE_H
#define SMP_TESTS_SUPPORT_IMPORTONCE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "smp/import/OnnxImport.h"
#include <onnx/onnx_pb.h>

namespace smp {

/// Imports in a context of its own, which knows the dialects of `registry`; no
/// file is read.
class ImportOnce {
public:
  explicit ImportOnce(
      llvm::StringRef bytes, const OnnxOptions &options = {},
      const mlir::DialectRegistry &registry = mlir::DialectRegistry())
      : context(registry, mlir::MLIRContext::Threading::DISABLED) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
        errors.push_back(d.str());
      return mlir::success();
    });
    auto imported =
        importOnnx(&context, bytes, "m.onnx", "no-such-folder", options);
    if (succeeded(imported))
      model = std::move(*imported);
    isSound = !model.module || succeeded(mlir::verify(*model.module));
  }

  /// Whether the bytes are a model.
  bool ok() const { return bool(model.module); }

  /// What the importer did against its contract; empty if nothing. It gives a
  /// sound module, or one error that says more than which file it was.
  std::string complaint() const {
    if (!isSound)
      return "a module that does not verify: " + errors.front();
    if (ok())
      return errors.empty() ? "" : "a module, and the error " + errors.front();
    if (errors.size() != 1)
      return "no module, and " + std::to_string(errors.size()) + " errors";
    llvm::StringRef error = errors.front();
    return error.consume_front("m.onnx: ") && error.size() > 10
               ? ""
               : "an error that says nothing: " + errors.front();
  }

  mlir::MLIRContext context;
  ImportedModel model;
  std::vector<std::string> errors;

private:
  bool isSound = true;
};

/// Options by which the first dimension of the first input is rows, so that
/// what becomes of them is followed through the model.
inline OnnxOptions withRows(const std::string &bytes) {
  onnx::ModelProto model;
  OnnxOptions options;
  if (model.ParseFromString(bytes) && model.graph().input_size() > 0)
    options.batch = {{model.graph().input(0).name(), 0}};
  return options;
}

} // namespace smp

#endif // SMP_TESTS_SUPPORT_IMPORTONCE_H
