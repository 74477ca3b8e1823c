// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ModuleToExport.h"
#include "smp/codegen/export/ModelData.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

namespace smp {

static StatusOr<ir::EntryOp> findEntry(mlir::ModuleOp module,
                                       const std::string &wanted) {
  auto entries = llvm::to_vector(module.getOps<ir::EntryOp>());
  std::vector<EntryChoice> choices;
  for (ir::EntryOp entry : entries)
    choices.push_back(
        {entry.getSymName().str(), codegen::toModel(entry.getMode())});
  SMP_ASSIGN_OR_RETURN(const size_t chosen, chooseEntry(choices, wanted));
  return entries[chosen];
}

/// Of variables, the bytes of which the weights have.
static StatusOr<std::shared_ptr<VariableValues>>
valuesOf(mlir::ModuleOp module, ir::WeightStore weights,
         const ValuesFrom &from) {
  std::vector<Variable> variables;
  for (auto variable : module.getOps<ir::VariableOp>())
    variables.push_back(codegen::toModel(variable));
  auto store = std::make_shared<ir::WeightStore>(std::move(weights));
  auto stored =
      [store](
          const Variable &variable) -> StatusOr<std::span<const std::byte>> {
    const ir::Weight *weight = store->find(variable.name);
    if (weight && weight->type == variable.type)
      return weight->bytes;
    return invalidArgument("variable '" + variable.name + "' is " +
                           toString(variable.type) +
                           ", and what is stored is " +
                           (weight ? toString(weight->type) : "nothing"));
  };
  SMP_ASSIGN_OR_RETURN(
      VariableValues values,
      VariableValues::open(std::move(variables), stored, from));
  return std::make_shared<VariableValues>(std::move(values));
}

StatusOr<ExportedModel> readModuleToExport(ImportedModel model,
                                           const std::string &wanted,
                                           const ValuesFrom &from) {
  mlir::ModuleOp module = *model.module;
  SMP_ASSIGN_OR_RETURN(ir::EntryOp entry, findEntry(module, wanted));
  auto graph = ir::exportGraph(entry);
  if (failed(graph))
    return invalidArgument("entry '" + entry.getSymName().str() +
                           "' was not exported; see above");
  SMP_ASSIGN_OR_RETURN(const auto values,
                       valuesOf(module, std::move(model.weights), from));
  ExportedModel result;
  result.files = values->files();
  llvm::append_range(result.files, model.weightFiles);
  result.entry = entry.getSymName().str();
  result.graph = std::move(*graph);
  for (mlir::BlockArgument argument : entry.getArguments())
    result.inputs.push_back(ir::getValueName(argument).str());
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    result.outputs.push_back(
        entry.getResultAttrOfType<mlir::StringAttr>(i, ir::kNameAttr).str());
  result.value = [values](const std::string &variable, const TensorType &type) {
    return values->value(variable, type);
  };
  return result;
}

} // namespace smp
