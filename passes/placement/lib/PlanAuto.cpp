// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlanAuto.h"
#include "AskProblem.h"
#include "PartsOfDevices.h"
#include "PlaceItems.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

class AutoPlanner {
public:
  AutoPlanner(ModuleOp module, const PlacementRequest &request,
              const CostModel &costs, const ModuleLowering &lowering)
      : module(module), request(request), costs(costs), lowering(lowering) {}

  FailureOr<PlanChoices> run() {
    if (failed(preparePins()) || failed(prepareQuestion()))
      return failure();
    for (uint32_t devices = choices.partitions; devices >= 1; --devices)
      for (uint32_t parts : {1u, 2u, 4u})
        for (PartOrder order : {PartOrder::Round, PartOrder::There})
          if (failed(tryPlacement(devices, parts, order)))
            return failure();
    return choose();
  }

private:
  struct Tried {
    PlanCandidate candidate;
    std::vector<uint32_t> deviceOf; ///< By item of the question.
  };

  //===--------------------------------------------------------------------===//
  // What is asked
  //===--------------------------------------------------------------------===//

  LogicalResult preparePins() {
    const bool ignoresPins = request.mode == PartitionMode::IgnoreAnnotations;
    CheckAnnotationsPassOptions check;
    check.numPartitions = request.partitions;
    check.ignorePins = ignoresPins;
    PassManager passes(module.getContext());
    passes.addPass(createCheckAnnotationsPass(check));
    if (!ignoresPins)
      passes.addPass(createPropagatePlacementPass());
    if (failed(passes.run(module)))
      return failure();
    if (ignoresPins)
      forgetPins(module);
    choices.partitions = uint32_t(getNumPartitions(module));
    return success();
  }

  LogicalResult prepareQuestion() {
    choices.isOfSteps = true;
    const EntryWeights weights(module);
    for (auto entry : module.getOps<EntryOp>()) {
      choices.isTrained |= isTrained(entry);
      if (auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr))
        microbatches = std::max(microbatches, uint32_t(count.getInt()));
      else if (weights.of(entry) > EntryWeights::kLeast)
        choices.isOfSteps = false;
    }
    PlacementRequest asked = request;
    if (choices.isTrained) // What does not fit is computed again.
      asked.memoryLimit = 0;
    question =
        askProblem(module, costs, asked, {.contiguous = request.contiguous},
                   /*keepsKernels=*/true);
    for (bool divides : {false, true}) {
      if (divides && !choices.isTrained)
        continue;
      OwningOpRef<ModuleOp> copy = numberedCopy(module);
      setDivided(*copy, divides);
      if (failed(lowering.toKernelOps(*copy)))
        return failure();
      lowered[divides] = std::move(copy);
    }
    return success();
  }

  /// As smp-divide-backward does it.
  static void setDivided(ModuleOp target, bool divides) {
    for (auto entry : target.getOps<EntryOp>())
      if (divides && isTrained(entry))
        entry->setAttr(kDividesBackwardAttr,
                       mlir::UnitAttr::get(target.getContext()));
  }

  //===--------------------------------------------------------------------===//
  // Candidates
  //===--------------------------------------------------------------------===//

  std::vector<PipelineChoice> pipelinesFor(uint32_t devices, uint32_t parts,
                                           PartOrder order) const {
    if (!choices.isTrained)
      return {{PipelineKind::Interleaved, 1}};
    std::vector<PipelineChoice> pipelines;
    auto add = [&](PipelineKind kind, uint32_t active) {
      active = std::min(active, microbatches);
      if (llvm::none_of(pipelines, [&](const PipelineChoice &known) {
            return known.kind == kind && known.active == active;
          }))
        pipelines.push_back({kind, active});
    };
    if (order == PartOrder::There) {
      add(PipelineKind::ZeroBubbleV,
          usualActive(PipelineKind::ZeroBubbleV, devices));
      return pipelines;
    }
    add(PipelineKind::Simple, microbatches);
    const uint32_t usual = usualActive(PipelineKind::Interleaved, devices);
    for (uint32_t active : {devices, usual, 2 * usual})
      add(PipelineKind::Interleaved, active);
    if (devices > 1 && parts == 1)
      for (PipelineKind kind :
           {PipelineKind::ZeroBubbleH1, PipelineKind::ZeroBubbleH2})
        add(kind, usualActive(kind, devices));
    return pipelines;
  }

  LogicalResult tryPlacement(uint32_t devices, uint32_t parts,
                             PartOrder order) {
    // One device has nobody to take turns with.
    if ((devices == 1 && parts > 1) ||
        (order == PartOrder::There && (parts != 2 || !choices.isTrained)))
      return success();
    const std::vector<uint32_t> deviceOf =
        solveParts(question.problem, devices, parts, order);
    if (deviceOf.empty()) {
      add({.devices = devices,
           .parts = parts,
           .lost = "pins or the memory "
                   "limit forbid it"},
          {});
      return success();
    }
    const uint32_t used =
        uint32_t(std::set<uint32_t>(deviceOf.begin(), deviceOf.end()).size());
    if (used < devices || !seen.insert(deviceOf).second)
      return success(); // Looked at with fewer, or with fewer parts.
    OwningOpRef<ModuleOp> placed = module.clone();
    place(*placed, deviceOf);
    for (const PipelineChoice &pipeline : pipelinesFor(devices, parts, order))
      if (failed(evaluate(
              {.devices = devices, .parts = parts, .pipeline = pipeline},
              *placed, deviceOf)))
        return failure();
    return success();
  }

  /// Where items of the question are, of a copy of the module too.
  void place(ModuleOp target, const std::vector<uint32_t> &deviceOf) {
    std::vector<Operation *> ops, own;
    auto collect = [](ModuleOp from, std::vector<Operation *> &into) {
      for (auto entry : from.getOps<EntryOp>())
        for (Operation &op : entry.getBody().front())
          into.push_back(&op);
    };
    collect(module, own);
    collect(target, ops);
    llvm::DenseMap<Operation *, Operation *> copyOf;
    for (auto [from, to] : llvm::zip(own, ops))
      copyOf[from] = to;
    for (auto [of, device] : llvm::zip(question.ops, deviceOf))
      for (Operation *op : of)
        if (!getPlacement(copyOf[op]))
          setPlacement(copyOf[op], device, Origin::Solver);
    placeTheRest(target);
  }

  FailureOr<std::optional<PlanFigures>>
  figuresOf(ModuleOp placed, const PipelineChoice &pipeline) {
    const auto key = std::pair(pipeline.kind, pipeline.active);
    std::unique_ptr<ModelPlans> &known = plans[key];
    if (!known)
      known = ModelPlans::of(lowered[dividesBackward(pipeline)]->clone(), costs,
                             pipeline);
    if (!known)
      return failure();
    return known->evaluate(placed);
  }

  LogicalResult evaluate(PlanCandidate candidate, ModuleOp placed,
                         const std::vector<uint32_t> &deviceOf) {
    FailureOr<std::optional<PlanFigures>> figures =
        figuresOf(placed, candidate.pipeline);
    if (failed(figures))
      return failure();
    if (!*figures) {
      candidate.lost = "it cannot be divided into stages";
    } else if (request.memoryLimit > 0 &&
               (*figures)->mostBytes() > request.memoryLimit) {
      candidate.mostBytes = (*figures)->mostBytes();
      *figures = computeAgain(candidate, placed);
    }
    if (*figures)
      rank(candidate, **figures);
    add(std::move(candidate), deviceOf);
    return success();
  }

  /// What the plan takes with values computed again until it fits; nothing
  /// where it cannot be made to.
  std::optional<PlanFigures> computeAgain(PlanCandidate &candidate,
                                          ModuleOp placed) {
    PlacementRequest within = request;
    within.pipeline = candidate.pipeline;
    OwningOpRef<ModuleOp> marked = placed.clone();
    setDivided(*marked, dividesBackward(candidate.pipeline));
    std::optional<PlanFigures> last;
    // Candidates say nothing; the one that is taken does.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    FailureOr<unsigned> chosen = chooseRecompute(
        *marked, within, costs,
        [&](ModuleOp now) -> FailureOr<SmallVector<int64_t>> {
          auto figures = figuresOf(now, candidate.pipeline);
          if (failed(figures) || !*figures)
            return failure();
          last = **figures;
          SmallVector<int64_t> bytes;
          for (const PlanFigures::Partition &partition : last->partitions)
            bytes.push_back(partition.bytes());
          return bytes;
        });
    if (succeeded(chosen)) {
      candidate.recomputed = *chosen;
      return last;
    }
    candidate.lost = "it is over the memory limit, whatever is computed again";
    return std::nullopt;
  }

  void rank(PlanCandidate &candidate, const PlanFigures &figures) const {
    candidate.mostBytes = figures.mostBytes();
    candidate.seconds =
        choices.isOfSteps ? figures.stepSeconds : figures.bottleneck();
    double busy = 0;
    for (const PlanFigures::Partition &partition : figures.partitions)
      busy += partition.seconds() * (choices.isOfSteps ? microbatches : 1);
    candidate.idleShare =
        std::max(0.0, 1 - busy / (candidate.devices * *candidate.seconds));
  }

  void add(PlanCandidate candidate, const std::vector<uint32_t> &deviceOf) {
    tried.push_back({std::move(candidate), deviceOf});
  }

  /// By time, then by memory.
  static std::pair<double, int64_t> rankOf(const Tried &plan) {
    return {plan.candidate.seconds.value_or(
                std::numeric_limits<double>::infinity()),
            plan.candidate.mostBytes};
  }

  //===--------------------------------------------------------------------===//
  // The choice
  //===--------------------------------------------------------------------===//

  FailureOr<PlanChoices> choose() {
    const size_t count = size_t(llvm::count_if(tried, [](const Tried &plan) {
      return plan.candidate.seconds.has_value();
    }));
    if (count == 0)
      return refuse();
    if (request.planNumber < 1 || size_t(request.planNumber) > count)
      return module.emitError()
             << "plan number " << request.planNumber
             << " is asked for; there are plans 1 to " << count;
    llvm::stable_sort(tried, [](const Tried &a, const Tried &b) {
      return rankOf(a) < rankOf(b);
    });
    choices.taken = size_t(request.planNumber) - 1;
    const Tried &taken = tried[choices.taken];
    setDivided(module, dividesBackward(taken.candidate.pipeline));
    place(module, taken.deviceOf);
    const double best = *tried.front().candidate.seconds;
    for (auto [i, plan] : llvm::enumerate(tried)) {
      PlanCandidate &candidate = plan.candidate;
      if (candidate.seconds && i != choices.taken)
        candidate.lost = llvm::formatv("{0:F1} % slower",
                                       100 * (*candidate.seconds / best - 1));
      choices.candidates.push_back(std::move(candidate));
    }
    return std::move(choices);
  }

  /// The first that was tried has all devices, and so most memory.
  LogicalResult refuse() {
    const PlanCandidate &first = tried.front().candidate;
    InFlightDiagnostic error = module.emitError()
                               << "no plan for " << choices.partitions
                               << " devices: " << first.lost;
    if (first.mostBytes > 0)
      error << ", and needs " << first.mostBytes << " bytes of "
            << request.memoryLimit << " with nothing computed again";
    return error
           << "; change pins, raise the memory limit, or use more devices";
  }

  ModuleOp module;
  const PlacementRequest &request;
  const CostModel &costs;
  const ModuleLowering &lowering;
  ModuleProblem question{PartitionProblem(1), {}};
  uint32_t microbatches = 1;
  OwningOpRef<ModuleOp> lowered[2]; ///< Undivided, and divided.
  std::map<std::pair<PipelineKind, uint32_t>, std::unique_ptr<ModelPlans>>
      plans;
  std::set<std::vector<uint32_t>> seen;
  PlanChoices choices;
  std::vector<Tried> tried;
};

} // namespace

FailureOr<PlanChoices> planAutomatically(ModuleOp module,
                                         const PlacementRequest &request,
                                         const CostModel &costs,
                                         const ModuleLowering &lowering) {
  return AutoPlanner(module, request, costs, lowering).run();
}

} // namespace smp::passes
