// SPDX-License-Identifier: Apache-2.0
#include "EvaluateModel.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/base/AtomicFile.h"
#include "smp/tools/ExportOnnx.h"
#include "smp/tools/ModuleToExport.h"

namespace smp::conformance {

namespace {
class ExportedBackend : public Backend {
public:
  explicit ExportedBackend(std::string folder) : folder(std::move(folder)) {}

  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    FirstError error(&context);
    OnnxOptions options;
    options.constants = bound;
    auto model = importOnnx(&context, test.model().string(), options);
    if (failed(model) || !differentiate(*model))
      return {{}, error.text()};
    auto bytes = exportModel(std::move(*model));
    if (!bytes.ok())
      return {{}, bytes.status().message()};
    if (!folder.empty())
      if (Status kept = writeFile(folder + "/" + test.name + ".onnx", *bytes);
          !kept.ok())
        return {{}, kept.message()};
    auto again = importOnnx(&context, *bytes, "exported", "", {});
    if (failed(again))
      return {{}, "exported: " + error.text()};
    Outcome outcome = evaluateModel(*again, inputs);
    if (outcome.error.empty())
      outcome.error = error.text();
    return outcome;
  }

private:
  static StatusOr<std::string> exportModel(ImportedModel model) {
    SMP_ASSIGN_OR_RETURN(const ExportedModel exported,
                         readModuleToExport(std::move(model), "", {}));
    auto bytes = serializeOnnx(exported);
    const std::string &why = bytes.status().message();
    if (why.find("without counterpart") != why.npos)
      return invalidArgument(kRefused + why);
    return bytes;
  }

  const std::string folder;
};
} // namespace

std::unique_ptr<Backend> makeExportedBackend(std::string folder) {
  return std::make_unique<ExportedBackend>(std::move(folder));
}

} // namespace smp::conformance
