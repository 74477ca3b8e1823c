// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/Plan.h"
#include "BuildProblem.h"
#include "PlanFormat.h"
#include "smp/ir/Target.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/placement/Explain.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/PartitionSolver.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_PRINTPLANPASS
#include "smp/passes/placement/Passes.h.inc"

static void countOrigins(ModuleOp module, Plan &plan) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator()) {
      PlacementAttr placement = getPlacement(&op);
      if (placement.isAll())
        ++plan.everywhere;
      else if (placement.getOrigin() == Origin::User)
        ++plan.user;
      else if (placement.getOrigin() == Origin::Propagated)
        ++plan.propagated;
      else
        ++plan.solver;
    }
}

std::vector<PartitionLoad> predictLoads(ModuleOp module, const CostModel &model,
                                        PipelineChoice pipeline) {
  ModuleProblem question = buildProblem(module, model, {.pipeline = pipeline});
  return question.problem.loads(question.pinnedPartitions());
}

static std::optional<double> findBound(ModuleOp module, const CostModel &model,
                                       double bottleneck,
                                       PipelineChoice pipeline) {
  ModuleProblem question =
      buildProblem(module, model, {.isRelaxed = true, .pipeline = pipeline});
  const std::optional<ProvedBound> proved = lowestObjective(question.problem);
  if (!proved)
    return std::nullopt;
  // Which is not above it but for rounding.
  return std::min(proved->bound, bottleneck);
}

Plan describePlan(ModuleOp module, const CostModel &model,
                  const PlacementRequest &request) {
  Plan plan;
  countOrigins(module, plan);
  ModuleProblem question =
      buildProblem(module, model, {.pipeline = request.pipeline});
  std::vector<uint32_t> partitionOf = question.pinnedPartitions();
  plan.loads = question.problem.loads(partitionOf);
  for (auto [ops, partition] : llvm::zip(question.ops, partitionOf)) {
    PartitionLoad &load = plan.loads[partition];
    load.items += uint32_t(ops.size()) - 1; // The item itself is counted.
    load.items -= uint32_t(llvm::count_if(ops, isSource));
  }
  plan.bottleneck = question.problem.objective(partitionOf);
  // Under a limit other placements would compute other values again.
  if (request.memoryLimit <= 0 ||
      llvm::none_of(module.getOps<EntryOp>(), isTrained))
    plan.bound = findBound(module, model, plan.bottleneck, request.pipeline);
  return plan;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printCell(llvm::raw_ostream &os, const std::string &text) {
  os << llvm::right_justify(text, 12);
}

/// A line per partition.
static void
printTable(llvm::raw_ostream &os, const Plan &plan,
           ArrayRef<const char *> titles,
           llvm::function_ref<SmallVector<std::string>(const PartitionLoad &)>
               cellsOf) {
  printCell(os, "partition");
  for (const char *title : titles)
    printCell(os, title);
  os << "\n";
  for (auto [partition, load] : llvm::enumerate(plan.loads)) {
    printCell(os, std::to_string(partition));
    for (const std::string &cell : cellsOf(load))
      printCell(os, cell);
    os << "\n";
  }
}

void printPlan(llvm::raw_ostream &os, const Plan &plan) {
  printTable(
      os, plan, {"ops", "compute", "transfers", "cut"},
      [](const PartitionLoad &load) -> SmallVector<std::string> {
        return {std::to_string(load.items), milliseconds(load.computeSeconds),
                milliseconds(load.transferSeconds), sizeText(load.cutBytes)};
      });
  os << "bottleneck " << milliseconds(plan.bottleneck);
  if (plan.bound)
    os << ", no placement is below " << milliseconds(*plan.bound) << "\n";
  else
    os << ", how low another placement could be is unknown\n";
  os << "placed by: user " << plan.user << ", propagated " << plan.propagated
     << ", solver " << plan.solver << "; on all partitions " << plan.everywhere
     << "\n";
}

void printCountedBytes(llvm::raw_ostream &os, const Plan &plan) {
  os << "bytes, as the partitioner counts them:\n";
  printTable(os, plan, {"variables", "activations", "working set"},
             [](const PartitionLoad &load) -> SmallVector<std::string> {
               return {sizeText(load.residentBytes - load.stashBytes),
                       sizeText(load.stashBytes), sizeText(load.workBytes)};
             });
}

namespace {

struct PrintPlan : impl::PrintPlanPassBase<PrintPlan> {
  using PrintPlanPassBase::PrintPlanPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyPlaced(module)))
      return signalPassFailure();
    const PlacementRequest request{.memoryLimit = memoryLimit,
                                   .pipeline = {pipeline, activeMicrobatches}};
    const RooflineModel model(ir::targetOf(module, 0));
    const Plan plan = describePlan(module, model, request);
    printPlan(llvm::errs(), plan);
    printCountedBytes(llvm::errs(), plan);
    if (explain)
      printExplanation(llvm::errs(),
                       explainPlan(module, module, model, request));
  }
};

} // namespace
} // namespace smp::passes
