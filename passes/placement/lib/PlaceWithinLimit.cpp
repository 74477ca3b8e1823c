// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlaceWithinLimit.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Placement.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/LimitSearch.h"
#include "smp/passes/training/Recompute.h"

using namespace mlir;

namespace smp::passes {
namespace {

class Placer {
public:
  Placer(ModuleOp module, const PlacementRequest &request,
         const CostModel &costs, const ModuleLowering &lowering)
      : module(module), request(request), costs(costs), lowering(lowering) {}

  LogicalResult run() {
    OwningOpRef<ModuleOp> copy = numberedCopy(module);
    if (failed(lowering.toKernelOps(*copy)))
      return failure();
    plans = ModelPlans::of(std::move(copy), costs, request.pipeline);
    if (!plans || failed(place(module, request, findBest())) ||
        failed(choose()))
      return failure();
    recompute(module);
    return success();
  }

private:
  LogicalResult place(ModuleOp target, const PlacementRequest &what,
                      const PlacementTrial &how) const {
    PassManager passes(target.getContext());
    buildPlacementPipeline(passes, what, costs, how);
    return passes.run(target);
  }

  bool isDecided() const { return request.mode == PartitionMode::Manual; }

  PlacementTrial findBest() {
    if (isDecided())
      return {.contiguous = request.contiguous, .stashShare = 0};
    // Trials say nothing; what is taken is done again.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    return searchWithinLimit(
        request.contiguous,
        [&](const PlacementTrial &trial) { return attempt(trial); });
  }

  TrialOutcome attempt(const PlacementTrial &how) {
    OwningOpRef<ModuleOp> trial = module.clone();
    PlacementRequest unwritten = request;
    unwritten.savePlacement.clear();
    if (failed(place(*trial, unwritten, how)))
      return {};
    auto [known, isNew] = outcomes.try_emplace(assignmentOf(*trial));
    if (!isNew)
      return known->second;
    FailureOr<unsigned> chosen =
        chooseRecompute(*trial, request, costs,
                        [&](ModuleOp marked) { return evaluate(marked); });
    if (succeeded(chosen))
      if (auto figures = plans->evaluate(*trial))
        known->second = {figures->bottleneck(), *chosen == 0};
    return known->second;
  }

  FailureOr<SmallVector<int64_t>> evaluate(ModuleOp marked) {
    auto figures = plans->evaluate(marked);
    if (!figures)
      return failure();
    SmallVector<int64_t> bytes;
    for (const PlanFigures::Partition &partition : figures->partitions)
      bytes.push_back(partition.bytes());
    return bytes;
  }

  /// Of the module, placed. The program is planned where the evaluator says
  /// that it fits; if it cannot be made to by what the evaluator says, each
  /// choice is.
  LogicalResult choose() {
    auto isOver = [&](int64_t bytes) { return bytes > request.memoryLimit; };
    auto confirm = [&](ModuleOp marked) -> FailureOr<SmallVector<int64_t>> {
      FailureOr<SmallVector<int64_t>> bytes = evaluate(marked);
      return succeeded(bytes) && llvm::any_of(*bytes, isOver)
                 ? bytes
                 : lowering.bytesOf(marked);
    };
    std::vector<Diagnostic> remarks;
    bool isChosen;
    {
      ScopedDiagnosticHandler keep(module.getContext(), [&](Diagnostic &said) {
        remarks.push_back(std::move(said));
        return success();
      });
      isChosen = succeeded(chooseRecompute(module, request, costs, confirm));
    }
    if (!isChosen) {
      module.walk([](Operation *op) { op->removeAttr(ir::kRecomputeAttr); });
      return chooseRecompute(module, request, costs, lowering.bytesOf);
    }
    for (Diagnostic &remark : remarks)
      module.getContext()->getDiagEngine().emit(std::move(remark));
    return success();
  }

  ModuleOp module;
  const PlacementRequest &request;
  const CostModel &costs;
  const ModuleLowering &lowering;
  std::unique_ptr<ModelPlans> plans;
  std::map<Assignment, TrialOutcome> outcomes;
};

} // namespace

LogicalResult placeWithinLimit(ModuleOp module, const PlacementRequest &request,
                               const CostModel &costs,
                               const ModuleLowering &lowering) {
  return Placer(module, request, costs, lowering).run();
}

} // namespace smp::passes
