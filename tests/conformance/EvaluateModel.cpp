// SPDX-License-Identifier: Apache-2.0
#include "EvaluateModel.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Constants.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "smp/model/Reference.h"
#include "smp/passes/catalog/AllPasses.h"

namespace smp::conformance {

FirstError::FirstError(mlir::MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        if (message.empty())
          message = diagnostic.str();
        return mlir::success();
      }) {}

bool differentiate(ImportedModel &model) {
  mlir::PassManager manager(model.module->getContext());
  manager.addPass(passes::createDifferentiatePass());
  return succeeded(manager.run(*model.module));
}

using Variables = std::map<std::string, HostTensor, std::less<>>;

/// The initial values of the module's variables; nothing where one has none.
static std::optional<Variables> variablesOf(ImportedModel &model) {
  Variables variables;
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
      return std::nullopt;
    variables[variable.getSymName().str()] = std::move(tensor);
  }
  return variables;
}

Outcome evaluateModel(ImportedModel &model,
                      const std::vector<NamedTensor> &inputs) {
  auto entry = *model.module->getOps<ir::EntryOp>().begin();
  std::vector<HostTensor> arguments;
  for (mlir::BlockArgument argument : entry.getArguments()) {
    const NamedTensor *input =
        findInput(inputs, ir::getValueName(argument), argument.getArgNumber());
    if (!input)
      return Outcome{{}, "an input has no value"};
    arguments.push_back(retag(
        input->tensor, *ir::toModel(mlir::getElementTypeOrSelf(argument))));
  }
  const auto variables = variablesOf(model);
  if (!variables)
    return Outcome{{}, "a variable has no value"};
  auto graph = ir::exportGraph(entry);
  if (failed(graph))
    return Outcome();
  Evaluation result = evaluate(*graph, arguments, [&](std::string_view name) {
    auto it = variables->find(name);
    return it == variables->end() ? nullptr : &it->second;
  });
  return {std::move(result.results), std::move(result.error)};
}

} // namespace smp::conformance
