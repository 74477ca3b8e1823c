// SPDX-License-Identifier: Apache-2.0
#include "Models.h"
#include "Flags.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "llvm/ADT/StringSwitch.h"

namespace smp {

using namespace flags;

static StatusOr<std::vector<compile::OutputJoin>> readJoins() {
  std::vector<compile::OutputJoin> result;
  for (const std::string &word : joins) {
    auto [output, kind] = llvm::StringRef(word).rsplit('=');
    auto join = llvm::StringSwitch<std::optional<ir::JoinKind>>(kind)
                    .Case("sum", ir::JoinKind::Sum)
                    .Case("mean", ir::JoinKind::Mean)
                    .Case("stack", ir::JoinKind::Stack)
                    .Default(std::nullopt);
    if (output.empty() || !join)
      return invalidArgument("--join " + word +
                             ": write --join output=sum, mean or stack");
    if (llvm::is_contained(
            llvm::map_range(result, [](auto &said) { return said.output; }),
            output))
      return invalidArgument("--join " + output.str() + " is given twice");
    result.push_back({output.str(), *join});
  }
  return result;
}

/// Annotations that the configuration drops: not silently.
static void warnOfIgnoredPins(mlir::ModuleOp module) {
  mlir::Operation *first = nullptr;
  unsigned count = 0;
  module.walk([&](mlir::Operation *op) {
    ir::PlacementAttr pin = ir::getPlacement(op);
    if (!pin || !pin.isUser() || pin.isAll())
      return;
    first = first ? first : op;
    ++count;
  });
  if (first)
    first->emitWarning() << passes::describe(first)
                         << " is pinned to partition "
                         << ir::getPlacement(first).getPartition()
                         << ", but auto_partition of the configuration, which "
                            "is true unless said, ignores pins ("
                         << count
                         << " in all); set keep_pins to true in it to keep "
                            "them";
}

/// The model as it is to be compiled, of this size of dimensions that have
/// several. What is to be said of it is said of the first.
static StatusOr<ImportedModel>
readModel(mlir::MLIRContext *context, const compile::CompileOptions &options,
          const std::vector<compile::OutputJoin> &said,
          std::optional<int64_t> size, bool isFirst) {
  SMP_ASSIGN_OR_RETURN(
      ImportedModel model,
      loadModel(context, inputPath, importFlags, partitions, size));
  if (isFirst && !ignoreAnnotations &&
      options.placement.mode == passes::PartitionMode::IgnoreAnnotations)
    warnOfIgnoredPins(*model.module);
  if (!trainLoss.empty())
    SMP_RETURN_IF_ERROR(
        compile::trainModule(*model.module, trainLoss, optimizer));
  SMP_RETURN_IF_ERROR(compile::sayJoins(*model.module, said));
  return model;
}

StatusOr<std::vector<ImportedModel>>
readModels(mlir::MLIRContext *context, const compile::CompileOptions &options) {
  SMP_ASSIGN_OR_RETURN(const std::vector<compile::OutputJoin> said,
                       readJoins());
  SMP_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, importFlags.sizes());
  std::vector<ImportedModel> models;
  if (sizes.empty()) {
    SMP_ASSIGN_OR_RETURN(
        models.emplace_back(),
        readModel(context, options, said, std::nullopt, /*isFirst=*/true));
    return models;
  }
  for (int64_t size : sizes) {
    auto model = readModel(context, options, said, size, models.empty());
    if (!model.ok())
      return model.status().in("size " + std::to_string(size) + " of --dim");
    if (!models.empty())
      model->weights.share(models.front().weights);
    models.push_back(model.take());
  }
  return models;
}

mlir::FailureOr<codegen::ExportedProgram>
compileModels(std::vector<ImportedModel> &models,
              const compile::CompileOptions &options) {
  const std::vector<int64_t> sizes = *importFlags.sizes();
  if (sizes.empty())
    return compile::compile(*models.front().module, models.front().weights,
                            options);
  std::vector<compile::SizedModel> sized;
  for (auto [model, size] : llvm::zip(models, sizes))
    sized.push_back({*model.module, model.weights, size});
  return compile::compile(sized, options);
}

} // namespace smp
