// SPDX-License-Identifier: Apache-2.0
#include "EvaluateModel.h"
#include "mlir/IR/MLIRContext.h"

namespace smp::conformance {

namespace {
class ReferenceBackend : public Backend {
public:
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
    return outcome;
  }
};
} // namespace

const NamedTensor *findInput(const std::vector<NamedTensor> &inputs,
                             std::string_view name, size_t place) {
  for (const NamedTensor &input : inputs)
    if (input.name == name)
      return &input;
  bool hasPlace = place < inputs.size() && inputs[place].name.empty();
  return hasPlace ? &inputs[place] : nullptr;
}

std::unique_ptr<Backend> makeReferenceBackend() {
  return std::make_unique<ReferenceBackend>();
}

} // namespace smp::conformance
