// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlaceWithinLimit.h"
#include "BlamePins.h"
#include "Footprint.h"
#include "OpenPlacement.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Placement.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/PlacementSearch.h"
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
    plans = ModelPlans::of(std::move(copy), costs, lowering.temporariesOf,
                           request.pipeline);
    if (!plans)
      return failure();
    if (failed(place(module, request, findBest())) || failed(choose())) {
      sayWhatWasLookedAt();
      return failure();
    }
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
    const PlacementTrial best =
        searchWithinLimit(request.contiguous, [&](const PlacementTrial &trial) {
          return attempt(trial);
        });
    return llvm::any_of(outcomes,
                        [](const auto &known) {
                          return known.second.seconds < TrialOutcome().seconds;
                        })
               ? best
               : lookFurther(best);
  }

  /// Null where pins, or the limit as the solver sees it, exclude everything.
  OwningOpRef<ModuleOp> placedCopy(const PlacementTrial &how) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PlacementRequest unwritten = request;
    unwritten.savePlacement.clear();
    return succeeded(place(*copy, unwritten, how)) ? std::move(copy) : nullptr;
  }

  TrialOutcome attempt(const PlacementTrial &how) {
    OwningOpRef<ModuleOp> trial = placedCopy(how);
    if (!trial)
      return {};
    auto [known, isNew] = outcomes.try_emplace(assignmentOf(*trial));
    if (!isNew)
      return known->second;
    FailureOr<unsigned> chosen = chooseEvaluated(*trial);
    if (succeeded(chosen))
      if (auto figures = plans->evaluate(*trial))
        known->second = {figures->bottleneck(), *chosen == 0};
    return known->second;
  }

  FailureOr<unsigned> chooseEvaluated(ModuleOp placed) {
    return chooseRecompute(placed, request, costs,
                           [&](ModuleOp marked) { return evaluate(marked); });
  }

  /// Of what the solver proposes nothing fits, or it believes that nothing
  /// does: but it does not know what programs need. What it proposes without a
  /// limit is where the search begins.
  PlacementTrial lookFurther(PlacementTrial otherwise) {
    std::vector<Assignment> proposed;
    for (const auto &[assignment, outcome] : outcomes)
      proposed.push_back(assignment);
    OwningOpRef<ModuleOp> free;
    for (bool contiguous : {false, true}) {
      free = placedCopy({.contiguous = contiguous, .keepsLimit = false});
      if (!free) // Pins contradict each other.
        return otherwise;
      proposed.push_back(assignmentOf(*free));
    }
    OpenPlacement open(std::move(free), costs, request);
    std::vector<std::vector<uint32_t>> starts;
    for (const Assignment &assignment : proposed)
      starts.push_back(open.itemsOf(assignment));
    looked = searchPlacements(open.problem(), request.memoryLimit, starts,
                              judge(open), JudgeEffort::forOps(open.numOps()));
    // The solver knows which pins leave no room.
    const bool arePinsToBlame =
        !looked->fits && outcomes.empty() && !open.problem().getPins().empty();
    if (!arePinsToBlame)
      otherwise.partitionOf = looked->partitionOf;
    return otherwise;
  }

  PlacementJudge judge(OpenPlacement &open) {
    PlacementJudge judge;
    judge.evaluate = [&](const std::vector<uint32_t> &partitionOf) {
      return plans->evaluate(open.place(partitionOf));
    };
    if (isTrained())
      judge.fitsComputedAgain = [&](const std::vector<uint32_t> &partitionOf) {
        OwningOpRef<ModuleOp> copy = open.place(partitionOf).clone();
        return succeeded(chooseEvaluated(*copy));
      };
    return judge;
  }

  bool isTrained() {
    return llvm::any_of(module.getOps<ir::EntryOp>(), [](ir::EntryOp entry) {
      return !stashedValues(entry).empty();
    });
  }

  void sayWhatWasLookedAt() {
    if (!looked)
      return;
    if (looked->evaluations > 1)
      module.emitRemark() << looked->refusal(request.memoryLimit, isTrained());
    module.walk([](Operation *op) { op->removeAttr(ir::kRecomputeAttr); });
    const std::string blamed = blamePins(
        module, request, costs,
        [&](OpenPlacement &open) { return judge(open); }, looked->isAll);
    if (!blamed.empty())
      module.emitRemark() << blamed;
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
  std::optional<PlacementFound> looked; ///< At, where nothing proposed fits.
};

} // namespace

LogicalResult placeWithinLimit(ModuleOp module, const PlacementRequest &request,
                               const CostModel &costs,
                               const ModuleLowering &lowering) {
  return Placer(module, request, costs, lowering).run();
}

} // namespace smp::passes
