// SPDX-License-Identifier: Apache-2.0
#include "EvaluateModel.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/tools/ExportSavedModel.h"
#include "smp/tools/ModuleToExport.h"
#include "smp/tools/TensorBundle.h"
#include <deque>

namespace smp::conformance {

namespace {
class SavedModelBackend : public Backend {
public:
  explicit SavedModelBackend(std::string folder) : folder(std::move(folder)) {}

  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    FirstError error(&context);
    OnnxOptions options;
    options.constants = bound;
    auto model = importOnnx(&context, test.model().string(), options);
    if (failed(model) || !differentiate(*model))
      return {{}, error.text()};
    Outcome outcome = evaluateModel(*model, inputs);
    if (outcome.error.empty())
      outcome.error = error.text();
    if (!outcome.error.empty())
      return outcome;
    auto exported = readModuleToExport(std::move(*model), "", {});
    Status status = exported.status();
    if (status.ok())
      status = folder.empty() ? serializeSavedModel(*exported).status()
                              : keep(test, *exported, inputs, outcome.outputs);
    outcome.error = status.message();
    if (outcome.error.find("without counterpart") != std::string::npos)
      outcome.error = kRefused + outcome.error;
    return outcome;
  }

private:
  Status keep(const Case &test, const ExportedModel &model,
              const std::vector<NamedTensor> &inputs,
              const std::vector<HostTensor> &outputs) const {
    SMP_RETURN_IF_ERROR(writeSavedModel(model, folder + "/" + test.name));
    std::vector<TensorToBundle> values;
    auto add = [&](std::string key, const HostTensor &tensor) {
      values.push_back({std::move(key), tensor.type, tensor.bytes, {}});
    };
    std::deque<HostTensor> fed;
    for (size_t i = 0; i < model.inputs.size(); ++i)
      if (const NamedTensor *input = findInput(inputs, model.inputs[i], i))
        add("input/" + model.inputs[i],
            fed.emplace_back(
                retag(input->tensor,
                      model.graph.values[model.graph.inputs[i]].type.dtype)));
    for (size_t i = 0; i < outputs.size(); ++i)
      add("output/" + model.outputs[i], outputs[i]);
    return writeTensorBundle(values, folder + "/" + test.name + ".values");
  }

  const std::string folder;
};
} // namespace

std::unique_ptr<Backend> makeSavedModelBackend(std::string folder) {
  return std::make_unique<SavedModelBackend>(std::move(folder));
}

} // namespace smp::conformance
