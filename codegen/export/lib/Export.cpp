// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/export/Export.h"
#include "CompileKernels.h"
#include "EntryExport.h"
#include "SearchSchedules.h"
#include "StageExport.h"
#include "smp/base/Version.h"
#include "smp/codegen/export/ModelData.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/passes/EntryWeights.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/Safetensors.h"

using namespace mlir;

namespace smp::codegen {

/// Adds the module's variables, and their stored bytes to `stored`.
static LogicalResult exportVariables(ModuleOp module,
                                     const ir::WeightStore &weights,
                                     Program &program, ExportContext &context,
                                     std::vector<SafetensorsTensor> &stored) {
  for (auto variable : module.getOps<ir::VariableOp>()) {
    TensorType type = ir::toModel(variable.getTensorType());
    context.variables[variable.getSymName()] =
        uint32_t(program.variables.size());
    program.variables.push_back(toModel(variable));
    if (!isa<ir::StoredAttr>(variable.getInitializer()))
      continue;
    const ir::Weight *weight = weights.find(variable.getSymName());
    if (!weight)
      return variable.emitOpError()
             << "'" << variable.getSymName()
             << "' has no bytes in the weight store; give the file "
                "that holds them";
    if (weight->type != type)
      return variable.emitOpError()
             << "'" << variable.getSymName() << "' is " << smp::toString(type)
             << " but its stored tensor is " << smp::toString(weight->type);
    stored.push_back({variable.getSymName().str(), type, weight->bytes});
  }
  return success();
}

static LogicalResult
exportStages(ModuleOp module, Program &program, ExportContext &context,
             llvm::DenseMap<StringAttr, uint32_t> &numbers) {
  uint32_t number = 0;
  for (auto stage : module.getOps<ir::StageOp>()) {
    numbers[stage.getSymNameAttr()] = number;
    if (stage.getUnit() == ir::Unit::Prepare)
      for (auto [i, type] : llvm::enumerate(stage.getResultTypes())) {
        context.prepared[{stage.getSymNameAttr(), int64_t(i)}] =
            uint32_t(program.prepared.size());
        program.prepared.push_back(
            {number, uint32_t(i),
             uint64_t(ir::toModel(cast<RankedTensorType>(type)).bytes())});
      }
    ++number;
  }
  for (auto stage : module.getOps<ir::StageOp>()) {
    FailureOr<Stage> exported = exportStage(stage, context);
    if (failed(exported))
      return failure();
    program.stages.push_back(std::move(*exported));
  }
  return success();
}

/// Puts the stored tensors into the program, or says which file has them.
static LogicalResult exportWeights(ModuleOp module,
                                   std::vector<SafetensorsTensor> stored,
                                   const ExportOptions &options,
                                   ExportedProgram &exported) {
  if (stored.empty())
    return success();
  auto blob = serializeSafetensors(stored, {});
  if (!blob.ok())
    return module.emitError()
           << "cannot store the weights: " << blob.status().message();
  exported.weights = blob.take();
  Weights &weights = exported.program.weights;
  weights.file = options.weightsFile;
  weights.size = exported.weights.size();
  weights.crc32c = crc32c(exported.weights);
  if (weights.file.empty())
    exported.program.weightBytes = exported.weights;
  return success();
}

/// All of the program but its kernels, constants and weights, which `context`
/// and `stored` have afterwards.
static LogicalResult layOut(ModuleOp module,
                            std::map<std::string, Graph> graphs,
                            const ir::WeightStore &weights,
                            const ExportOptions &options,
                            ExportContext &context, Program &program,
                            std::vector<SafetensorsTensor> &stored) {
  program.producer = "smp " + std::string(versionString());
  if (auto partitions = module->getAttrOfType<IntegerAttr>(ir::kPartitionsAttr))
    program.partitions = uint32_t(partitions.getInt());
  llvm::DenseMap<StringAttr, uint32_t> stageNumbers;
  if (failed(exportVariables(module, weights, program, context, stored)) ||
      failed(exportStages(module, program, context, stageNumbers)))
    return failure();
  llvm::StringMap<uint32_t> entryNumbers;
  for (auto entry : module.getOps<ir::EntryOp>()) {
    entryNumbers[entry.getSymName()] = uint32_t(program.entries.size());
    FailureOr<Entry> made =
        exportEntry(entry, std::move(graphs[entry.getSymName().str()]),
                    stageNumbers, entryNumbers);
    if (failed(made))
      return failure();
    predictTransfers(program, *made, context.model);
    if (failed(scheduleEntry(entry, program, *made, options)))
      return failure();
    program.entries.push_back(std::move(*made));
  }
  return success();
}

FailureOr<ProgramPlan> planProgram(ModuleOp module,
                                   const ir::WeightStore &weights,
                                   const passes::CostModel &model,
                                   const ExportOptions &options) {
  Program program;
  ExportContext context(module.getContext(), model);
  std::vector<SafetensorsTensor> stored;
  if (failed(layOut(module, {}, weights, options, context, program, stored)))
    return failure();
  program.constants = context.constants;
  program.kernels = context.kernels.describe();
  searchSchedules(program, options);
  ProgramPlan plan{memoryOf(program)};
  const passes::EntryWeights entryWeights(module);
  for (auto [op, entry] :
       llvm::zip_equal(module.getOps<ir::EntryOp>(), program.entries))
    plan.stepSeconds +=
        entryWeights.of(op) * predictTimeline(program, entry, 1).makespan;
  return plan;
}

FailureOr<ExportedProgram> exportProgram(ModuleOp module,
                                         std::map<std::string, Graph> graphs,
                                         const ir::WeightStore &weights,
                                         const passes::CostModel &model,
                                         const ExportOptions &options) {
  ExportedProgram exported;
  Program &program = exported.program;
  ExportContext context(module.getContext(), model);
  std::vector<SafetensorsTensor> stored;
  if (failed(layOut(module, std::move(graphs), weights, options, context,
                    program, stored)))
    return failure();
  program.constants = context.constants;
  program.kernels = context.kernels.describe();
  searchSchedules(program, options);
  if (failed(compileKernels(module, context.kernels, options, program.kernels,
                            exported.images, program.imageInfos)) ||
      failed(exportWeights(module, std::move(stored), options, exported)))
    return failure();
  exported.constants = std::move(context.constants);
  program.constants = exported.constants;
  program.images.assign(exported.images.begin(), exported.images.end());
  return exported;
}

} // namespace smp::codegen
