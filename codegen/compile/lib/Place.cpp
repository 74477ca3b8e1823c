// SPDX-License-Identifier: Apache-2.0
#include "Place.h"
#include "Reproducer.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/Signature.h"
#include "smp/passes/pipeline/Taps.h"
#include "smp/passes/placement/ModelSeconds.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/placement/PlaceWithinLimit.h"
#include "smp/passes/placement/PlanAuto.h"
#include "smp/passes/training/Recompute.h"

using namespace mlir;

namespace smp::compile {

void setUpLadder(PassManager &lowering, const CompileOptions &options) {
  // From here on the IR is ours: what fails is a bug.
  if (!options.reproducer.empty())
    leaveReproducer(lowering, options.reproducer);
  buildLadder(lowering);
}

/// The bytes that each partition of a placed module needs in its program.
static FailureOr<SmallVector<int64_t>>
planBytes(ModuleOp marked, const ir::WeightStore &weights,
          const passes::CostModel &model, const CompileOptions &options) {
  OwningOpRef<ModuleOp> copy = marked.clone();
  passes::removeSeconds(*copy);
  passes::recompute(*copy);
  if (options.isWatched)
    passes::insertTaps(*copy, options.isWatched);
  PassManager lowering(marked.getContext());
  setUpLadder(lowering, options);
  if (failed(lowering.run(*copy)))
    return failure();
  // A table is of the stages of one placement.
  codegen::ExportOptions exporting = options.exporting;
  exporting.table = {};
  auto plan = codegen::planProgram(*copy, weights, model, exporting);
  if (failed(plan))
    return failure();
  SmallVector<int64_t> bytes;
  for (const PartitionMemory &partition : plan->partitions)
    bytes.push_back(int64_t(partition.total()));
  return bytes;
}

std::vector<int64_t> temporariesOf(ir::GroupOp group) {
  // What has no kernel is refused where the program is planned.
  ScopedDiagnosticHandler silence(group.getContext(),
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> home = ModuleOp::create(group.getLoc());
  FailureOr<const codegen::Target *> target = codegen::findTarget(group);
  if (failed(target))
    return {};
  const auto plan = (*target)->plan(ir::isolateGroup(*home, group));
  std::vector<int64_t> bytes;
  if (succeeded(plan))
    for (const TensorType &type : plan->temporaries)
      bytes.push_back(type.bytes());
  return bytes;
}

static passes::ModuleLowering loweringOf(const ir::WeightStore &weights,
                                         const passes::CostModel &model,
                                         const CompileOptions &options) {
  return {lowerNumberedCopy,
          [&](ModuleOp marked) {
            return planBytes(marked, weights, model, options);
          },
          temporariesOf};
}

LogicalResult placeModule(ModuleOp module, const ir::WeightStore &weights,
                          const passes::CostModel &model,
                          const CompileOptions &options,
                          const passes::PlacementRequest &request) {
  if (request.memoryLimit <= 0) {
    PassManager passes(module.getContext());
    passes::buildPlacementPipeline(passes, request, model);
    return passes.run(module);
  }
  if (succeeded(passes::placeWithinLimit(module, request, model,
                                         loweringOf(weights, model, options))))
    return success();
  if (options.isWatched)
    module.emitRemark("what may be watched counts too: capture fewer values");
  return failure();
}

FailureOr<size_t> planModels(ArrayRef<PreparedModel> models,
                             CompileOptions &options,
                             passes::PlacementRequest &request) {
  std::vector<passes::ModuleLowering> lowerings;
  for (const PreparedModel &model : models)
    lowerings.push_back(loweringOf(*model.weights, *model.costs, options));
  SmallVector<passes::ModelToPlan> asked;
  for (auto [model, lowering] : llvm::zip(models, lowerings))
    asked.push_back({model.module, *model.costs, lowering, model.rows});
  FailureOr<passes::PlanChoices> choices =
      passes::planAutomatically(asked, request);
  if (failed(choices))
    return failure();
  if (options.plan)
    passes::printChoices(*options.plan, *choices);
  const passes::PlanCandidate &taken = choices->candidates[choices->taken];
  // Everything is placed now.
  request.mode = passes::PartitionMode::Manual;
  request.defaultPartition = 0;
  if (choices->isTrained)
    request.pipeline = taken.pipeline;
  options.exporting.pipeline = request.pipeline;
  return taken.model;
}

} // namespace smp::compile
