// SPDX-License-Identifier: Apache-2.0
#include "smp/compile/Compile.h"
#include "ChooseCosts.h"
#include "PinSeconds.h"
#include "Place.h"
#include "mlir/Pass/PassRegistry.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Lists.h"
#include "smp/codegen/export/Passes.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Rows.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Target.h"
#include "smp/ir/Training.h"
#include "smp/passes/catalog/AllPasses.h"
#include "smp/passes/pipeline/Joins.h"
#include "smp/passes/pipeline/Taps.h"
#include "smp/passes/placement/Explain.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/ModelSeconds.h"
#include "smp/passes/placement/PlacementText.h"
#include "smp/passes/placement/Plan.h"

using namespace mlir;

namespace smp::compile {

/// What is done before equal ops are merged.
static void buildKernelOpsPipeline(OpPassManager &pm) {
  pm.addPass(passes::createDecomposePass());
  pm.addPass(passes::createCanonicalizePass());
  pm.addPass(passes::createFoldScalesPass());
  pm.addPass(passes::createChooseLayoutPass());
  pm.addPass(passes::createPackProductsPass());
  pm.addPass(passes::createSinkReshapesPass());
}

static void buildMergePipeline(OpPassManager &pm) {
  pm.addPass(passes::createCsePass());
  pm.addPass(passes::createHoistPreparePass());
}

LogicalResult lowerNumberedCopy(ModuleOp copy) {
  PassManager lowering(copy.getContext()), merging(copy.getContext());
  buildKernelOpsPipeline(lowering);
  if (failed(lowering.run(copy)))
    return failure();
  passes::forgetDerivedNumbers(copy);
  buildMergePipeline(merging);
  return merging.run(copy);
}

void buildLoweringPipeline(OpPassManager &pm) {
  buildKernelOpsPipeline(pm);
  buildMergePipeline(pm);
  pm.addPass(passes::createLowerTapsPass());
  pm.addPass(passes::createFormGroupsPass());
}

void buildLadder(OpPassManager &pm) {
  buildLoweringPipeline(pm);
  passes::buildStagePipeline(pm);
  pm.addPass(passes::createJoinStatisticsPass());
  pm.addPass(passes::createBatchStatisticsPass());
  pm.addPass(passes::createMaterializeResultsPass());
  pm.addPass(codegen::createPlanMemoryPass());
}

void registerPasses() {
  passes::registerAllPasses();
  codegen::registerSmpExportPasses();
  PassPipelineRegistration<>(
      "smp-lower", "From a placed model to kernel groups.",
      [](OpPassManager &pm) { buildLoweringPipeline(pm); });
  PassPipelineRegistration<>(
      "smp-ladder", "From a placed model to what a program is written from.",
      [](OpPassManager &pm) { buildLadder(pm); });
}

/// What each entry says, before it is lowered.
static FailureOr<std::map<std::string, Graph>> exportGraphs(ModuleOp module) {
  std::map<std::string, Graph> graphs;
  for (auto entry : module.getOps<ir::EntryOp>()) {
    FailureOr<Graph> graph = ir::exportGraph(entry);
    if (failed(graph))
      return failure();
    graphs[entry.getSymName().str()] = std::move(*graph);
  }
  return graphs;
}

void configure(const Config &config, CompileOptions &options) {
  options.placement = passes::placementRequestOf(config);
  options.exporting.pipeline = {
      config.pipeline, uint32_t(config.activeMicrobatches.value_or(0))};
}

/// Sets the join of outputs of that name; adds all names that there are.
static bool sayJoin(ModuleOp module, const OutputJoin &join,
                    std::vector<std::string> &names) {
  bool isKnown = false;
  for (auto entry : module.getOps<ir::EntryOp>())
    for (unsigned i = 0; i < entry.getNumResults(); ++i) {
      auto name = entry.getResultAttrOfType<StringAttr>(i, ir::kNameAttr);
      names.push_back(name.str());
      if (name != join.output)
        continue;
      ir::setJoin(entry, i, {join.kind});
      isKnown = true;
    }
  return isKnown;
}

Status sayJoins(ModuleOp module, ArrayRef<OutputJoin> joins) {
  for (const OutputJoin &join : joins)
    if (std::vector<std::string> names; !sayJoin(module, join, names))
      return invalidArgument(
          "no entry has an output '" + join.output +
          "' to be joined; the outputs are: " + listNames(names));
  return Status();
}

/// Of a pipeline that is forward only.
static LogicalResult refuseBackward(ModuleOp module) {
  for (auto entry : module.getOps<ir::EntryOp>())
    for (Operation &op : entry.getBody().front())
      if (ir::isBackward(ir::getPhase(&op)))
        return entry.emitError()
               << "entry '" << entry.getSymName()
               << "' is trained, and the pipeline '_only_forward' has no "
                  "backward work; choose 'interleaved' or 'simple'";
  return success();
}

/// That the table is of entries which are trained.
static LogicalResult checkTable(ModuleOp module, const ScheduleTable &table) {
  std::vector<std::string> trained;
  for (auto entry : module.getOps<ir::EntryOp>())
    if (entry->hasAttr(ir::kMicrobatchesAttr))
      trained.push_back(entry.getSymName().str());
  for (const ScheduleTable::Row &row : table.rows())
    if (!llvm::is_contained(trained, row.entry))
      return module.emitError()
             << "line " << row.line << " of the schedule is of '" << row.entry
             << "', which is no entry with a fixed number of microbatches; "
             << (trained.empty() ? "there is none"
                                 : "there is " + listNames(trained));
  return success();
}

/// A table may hold more than the pipeline that was placed within the limit.
static LogicalResult checkLimit(ModuleOp module, const Program &program,
                                int64_t limit) {
  for (auto [p, memory] : llvm::enumerate(memoryOf(program)))
    if (limit > 0 && int64_t(memory.total()) > limit)
      return module.emitError()
             << "in the order of the schedule that is given partition " << p
             << " needs " << memory.total() << " bytes; the memory limit is "
             << limit
             << " bytes per partition: begin fewer microbatches before others "
                "are finished, or raise it";
  return success();
}

/// The names that a capture asks for in vain.
static void printFoldedTaps(llvm::raw_ostream &os, ModuleOp module) {
  auto folded = module->getAttrOfType<ArrayAttr>(ir::kFoldedTapsAttr);
  if (!folded)
    return;
  os << "not watched, since computed together with what follows:\n";
  for (auto name : folded.getAsRange<StringAttr>())
    os << "  " << name.getValue() << "\n";
}

/// The request as it was, though a joint plan has answered it.
static passes::PlacementRequest askedOf(passes::PlacementRequest request,
                                        const CompileOptions &options) {
  request.mode = options.placement.mode;
  return request;
}

static FailureOr<std::vector<PreparedModel>>
prepareModels(ArrayRef<SizedModel> given, const CompileOptions &options) {
  std::vector<PreparedModel> models;
  for (const SizedModel &each : given) {
    // What is to be said of the model has been said of the first.
    std::optional<ScopedDiagnosticHandler> silence;
    if (!models.empty())
      silence.emplace(ModuleOp(each.module).getContext(), [](Diagnostic &d) {
        return success(d.getSeverity() != DiagnosticSeverity::Error);
      });
    FailureOr<PreparedModel> model = prepareModel(each, options);
    if (failed(model))
      return failure();
    models.push_back(std::move(*model));
  }
  if (given.size() > 1 && failed(checkSizes(models)))
    return failure();
  return models;
}

/// From a model to its program. `options` and `request` are those of the plan
/// that was taken, if there is one.
static FailureOr<codegen::ExportedProgram>
compilePrepared(const PreparedModel &prepared, const CompileOptions &options,
                const passes::PlacementRequest &request) {
  ModuleOp module = prepared.module;
  const ir::WeightStore &weights = *prepared.weights;
  const passes::CostModel &model = *prepared.costs;
  OwningOpRef<ModuleOp> asked;
  if (options.explainsPlan)
    asked = module.clone();
  if (failed(placeModule(module, weights, model, options, request)))
    return failure();
  if (request.pipeline.kind == PipelineKind::OnlyForward &&
      failed(refuseBackward(module)))
    return failure();
  std::optional<passes::Explanation> explanation;
  if (options.plan) {
    passes::printPlan(*options.plan,
                      passes::describePlan(module, model, request));
    if (options.explainsPlan) {
      explanation =
          passes::explainPlan(module, *asked, model, askedOf(request, options));
      passes::printExplanation(*options.plan, *explanation);
    }
    passes::printJoins(*options.plan, module);
  }
  const std::string placement = request.savePlacement.empty()
                                    ? std::string()
                                    : passes::takePlacementText(module);
  passes::removeSeconds(module);
  FailureOr<std::map<std::string, Graph>> graphs = exportGraphs(module);
  if (failed(graphs))
    return failure();
  if (explanation)
    notePinSeconds(module, *explanation, *graphs);
  if (options.isWatched)
    passes::insertTaps(module, options.isWatched);
  if (failed(checkTable(module, options.exporting.table)))
    return failure();
  PassManager lowering(module.getContext());
  setUpLadder(lowering, options);
  if (failed(lowering.run(module)))
    return failure();
  if (options.plan) {
    printFoldedTaps(*options.plan, module);
    if (options.costs)
      printMeasured(*options.plan, module, *options.costs, model);
  }
  auto exported = codegen::exportProgram(module, std::move(*graphs), weights,
                                         model, options.exporting);
  if (succeeded(exported) && !options.exporting.table.rows().empty() &&
      failed(checkLimit(module, exported->program, request.memoryLimit)))
    return failure();
  if (succeeded(exported) && !placement.empty())
    if (Status written = writeFile(request.savePlacement, placement);
        !written.ok())
      return module.emitError() << "placement file: " << written.message();
  return exported;
}

FailureOr<codegen::ExportedProgram> compile(ArrayRef<SizedModel> given,
                                            const CompileOptions &said) {
  CompileOptions options = said;
  options.exporting.memoryLimit = said.placement.memoryLimit;
  FailureOr<std::vector<PreparedModel>> models = prepareModels(given, options);
  if (failed(models))
    return failure();
  passes::PlacementRequest request = options.placement;
  request.pipeline = options.exporting.pipeline;
  size_t taken = 0;
  if (options.plansAll) {
    FailureOr<size_t> planned = planModels(*models, options, request);
    if (failed(planned))
      return failure();
    taken = *planned;
  }
  return compilePrepared((*models)[taken], options, request);
}

FailureOr<codegen::ExportedProgram> compile(ModuleOp module,
                                            const ir::WeightStore &weights,
                                            const CompileOptions &options) {
  return compile(SizedModel{module, weights}, options);
}

} // namespace smp::compile
