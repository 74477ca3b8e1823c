// SPDX-License-Identifier: Apache-2.0
#include "Backend.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Constants.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "smp/model/Reference.h"
#include "smp/passes/catalog/AllPasses.h"

namespace smp::conformance {

namespace {
class ReferenceBackend : public Backend {
public:
  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    Outcome outcome;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      if (outcome.error.empty())
        outcome.error = d.str();
      return mlir::success();
    });
    OnnxOptions options;
    options.constants = bound;
    auto model = importOnnx(&context, test.model().string(), options);
    if (failed(model))
      return outcome;
    mlir::PassManager manager(&context);
    manager.addPass(passes::createDifferentiatePass());
    if (failed(manager.run(*model->module)))
      return outcome;
    auto entry = *model->module->getOps<ir::EntryOp>().begin();
    std::vector<HostTensor> arguments;
    for (mlir::BlockArgument argument : entry.getArguments()) {
      const NamedTensor *input = findInput(inputs, ir::getValueName(argument),
                                           argument.getArgNumber());
      if (!input)
        return Outcome{{}, "an input has no value"};
      arguments.push_back(retag(
          input->tensor, *ir::toModel(mlir::getElementTypeOrSelf(argument))));
    }
    if (!collectVariables(*model))
      return Outcome{{}, "a variable has no value"};
    auto graph = ir::exportGraph(entry);
    if (failed(graph))
      return outcome;
    Evaluation result = evaluate(
        *graph, arguments, [&](std::string_view name) { return find(name); });
    return {std::move(result.results), std::move(result.error)};
  }

private:
  const HostTensor *find(std::string_view name) const {
    auto it = variables.find(name);
    return it == variables.end() ? nullptr : &it->second;
  }

  /// The initial values of the module's variables.
  bool collectVariables(ImportedModel &model) {
    variables.clear();
    for (auto variable : model.module->getOps<ir::VariableOp>()) {
      TensorType type = ir::toModel(variable.getTensorType());
      HostTensor tensor = HostTensor::zeros(type);
      if (const ir::Weight *weight =
              model.weights.find(variable.getSymName().str()))
        tensor.bytes.assign(weight->bytes.begin(), weight->bytes.end());
      else if (auto splat =
                   mlir::dyn_cast<ir::SplatAttr>(variable.getInitializer()))
        tensor = ir::toHost(mlir::DenseElementsAttr::get(
            variable.getTensorType(),
            ir::scalarAttr(variable.getTensorType().getElementType(),
                           splat.getValue().convertToDouble())));
      else
        return false;
      variables[variable.getSymName().str()] = std::move(tensor);
    }
    return true;
  }

  std::map<std::string, HostTensor, std::less<>> variables;
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
