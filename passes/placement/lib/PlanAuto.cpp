// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlanAuto.h"
#include "AskProblem.h"
#include "PartsOfDevices.h"
#include "PlaceItems.h"
#include "PlacementFile.h"
#include "ProblemDigest.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/PlacementSearch.h"
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
    if (failed(preparePins()) || failed(prepareModel()))
      return failure();
    // Kernels are kept whole unless pins or the limit forbid that.
    for (bool keepsKernels : {true, false}) {
      ask(keepsKernels);
      if (failed(tryAll()))
        return failure();
      if (numRunnable() > 0)
        return choose();
    }
    if (request.memoryLimit > 0) {
      if (failed(lookFurther()))
        return failure();
      if (numRunnable() > 0)
        return choose();
    }
    return refuse();
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

  LogicalResult prepareModel() {
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

  void ask(bool keepsKernels) {
    PlacementRequest asked = request;
    if (choices.isTrained) // What does not fit is computed again.
      asked.memoryLimit = 0;
    question = askProblem(module, costs, asked,
                          {.contiguous = request.contiguous}, keepsKernels);
    tried.clear();
    seen.clear();
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

  /// The devices up to the last that pins name, and as many as can have work.
  std::pair<uint32_t, uint32_t> fewestAndMost() const {
    uint32_t fewest = 1;
    for (const PartitionProblem::Pin &pin : question.problem.getPins())
      fewest = std::max(fewest, pin.partition + 1);
    return {fewest, std::max(fewest, std::min(choices.partitions, numItems()))};
  }
  uint32_t numItems() const { return uint32_t(question.ops.size()); }

  LogicalResult tryAll() {
    const auto [fewest, most] = fewestAndMost();
    for (uint32_t devices = most; devices >= fewest; --devices)
      for (uint32_t parts : {1u, 2u, 4u})
        for (PartOrder order : {PartOrder::Round, PartOrder::There})
          if (makesSense(devices, parts, order) &&
              failed(tryPlacement(devices, parts, order)))
            return failure();
    return success();
  }

  /// One device has nobody to take turns with, and a part has an item.
  bool makesSense(uint32_t devices, uint32_t parts, PartOrder order) const {
    if (order == PartOrder::There && (parts != 2 || !choices.isTrained))
      return false;
    return parts == 1 || (devices > 1 && devices * parts <= numItems());
  }

  LogicalResult tryPlacement(uint32_t devices, uint32_t parts,
                             PartOrder order) {
    auto solved = solveParts(question.problem, devices, parts, order);
    if (auto *conflict = std::get_if<PartitionConflict>(&solved)) {
      tried.push_back(
          {{.devices = devices, .parts = parts, .lost = conflict->message},
           {}});
      return success();
    }
    return tryDevices(std::get<std::vector<uint32_t>>(solved), devices, parts,
                      order);
  }

  LogicalResult tryDevices(const std::vector<uint32_t> &deviceOf,
                           uint32_t devices, uint32_t parts, PartOrder order) {
    if (!seen.insert(deviceOf).second)
      return success();
    const auto used =
        uint32_t(std::set<uint32_t>(deviceOf.begin(), deviceOf.end()).size());
    const OwningOpRef<ModuleOp> placed = placedBy(deviceOf);
    for (const PipelineChoice &pipeline : pipelinesFor(devices, parts, order))
      if (failed(evaluate({.devices = used,
                           .parts = used > 1 ? parts : 1,
                           .pipeline = pipeline},
                          *placed, deviceOf)))
        return failure();
    return success();
  }

  /// Where nothing that the solver proposes keeps the limit, or it believes
  /// that nothing does: among all placements, with few microbatches under way.
  /// What it proposes without a limit is where the search begins.
  LogicalResult lookFurther() {
    std::vector<std::vector<uint32_t>> starts;
    for (const Tried &plan : tried)
      if (!plan.deviceOf.empty())
        starts.push_back(plan.deviceOf);
    const bool isRefusedByPins =
        starts.empty() && !question.problem.getPins().empty();
    PlacementRequest unlimited = request;
    unlimited.memoryLimit = 0;
    const ModuleProblem free =
        askProblem(module, costs, unlimited, {.contiguous = request.contiguous},
                   /*keepsKernels=*/false);
    auto solved =
        solveParts(free.problem, choices.partitions, 1, PartOrder::Round);
    auto *start = std::get_if<std::vector<uint32_t>>(&solved);
    if (!start) // Pins contradict each other.
      return success();
    starts.push_back(std::move(*start));
    const PipelineChoice pipeline{
        PipelineKind::Interleaved,
        choices.isTrained ? std::min(choices.partitions, microbatches) : 1};
    PlacementFound found = searchPlacements(
        question.problem, request.memoryLimit, starts, judge(pipeline),
        JudgeEffort::forOps(
            assignmentOf(*placedBy(starts.back())).partitionOf.size()));
    // The solver knows which pins leave no room.
    if (found.partitionOf.empty() || (!found.fits && isRefusedByPins))
      return success();
    looked = std::move(found);
    return tryDevices(looked->partitionOf, choices.partitions, 1,
                      PartOrder::Round);
  }

  PlacementJudge judge(const PipelineChoice &pipeline) {
    PlacementJudge judge;
    judge.evaluate = [=, this](const std::vector<uint32_t> &deviceOf)
        -> std::optional<PlanFigures> {
      auto figures = figuresOf(*placedBy(deviceOf), pipeline);
      return succeeded(figures) ? *figures : std::nullopt;
    };
    if (choices.isTrained)
      judge.fitsComputedAgain = [=,
                                 this](const std::vector<uint32_t> &deviceOf) {
        PlanCandidate candidate{.pipeline = pipeline};
        return computeAgain(candidate, *placedBy(deviceOf)).has_value();
      };
    return judge;
  }

  OwningOpRef<ModuleOp> placedBy(const std::vector<uint32_t> &deviceOf) {
    OwningOpRef<ModuleOp> placed = module.clone();
    place(*placed, deviceOf);
    return placed;
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
    tried.push_back({std::move(candidate), deviceOf});
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
    candidate.lost =
        choices.isTrained
            ? "it is over the memory limit, whatever is computed again"
            : "it is over the memory limit";
    return std::nullopt;
  }

  void rank(PlanCandidate &candidate, const PlanFigures &figures) const {
    candidate.mostBytes = figures.mostBytes();
    double busy = figures.busySeconds;
    candidate.seconds = figures.stepSeconds;
    if (!choices.isOfSteps) {
      candidate.seconds = figures.bottleneck();
      busy = 0;
      for (const PlanFigures::Partition &partition : figures.partitions)
        busy += partition.seconds();
    }
    const double all = candidate.devices * *candidate.seconds;
    candidate.idleShare = all > 0 ? std::max(0.0, 1 - busy / all) : 0;
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

  size_t numRunnable() const {
    return size_t(llvm::count_if(tried, [](const Tried &plan) {
      return plan.candidate.seconds.has_value();
    }));
  }

  FailureOr<PlanChoices> choose() {
    if (request.planNumber < 1 || size_t(request.planNumber) > numRunnable())
      return module.emitError()
             << "plan number " << request.planNumber
             << " is asked for; there are plans 1 to " << numRunnable();
    llvm::stable_sort(tried, [](const Tried &a, const Tried &b) {
      return rankOf(a) < rankOf(b);
    });
    choices.taken = size_t(request.planNumber) - 1;
    const Tried taken = tried[choices.taken];
    setDivided(module, dividesBackward(taken.candidate.pipeline));
    if (!request.savePlacement.empty())
      noteQuestion(taken.candidate.pipeline);
    place(module, taken.deviceOf);
    const double best = *tried.front().candidate.seconds;
    for (auto [i, plan] : llvm::enumerate(tried)) {
      PlanCandidate &candidate = plan.candidate;
      if (candidate.seconds && i != choices.taken)
        candidate.lost = comparison(*candidate.seconds, best, i == 0);
      choices.candidates.push_back(std::move(candidate));
    }
    for (uint32_t device = 0; device < choices.partitions; ++device)
      if (!llvm::is_contained(taken.deviceOf, device))
        choices.empty.push_back(device);
    return std::move(choices);
  }

  /// What is asked where somebody says the pipeline that was taken: so that the
  /// placement, saved, answers it.
  void noteQuestion(const PipelineChoice &pipeline) {
    PlacementRequest said = request;
    if (choices.isTrained)
      said.pipeline = pipeline;
    module->setAttr(
        kProblemAttr,
        StringAttr::get(
            module.getContext(),
            digestOf(buildProblem(module, costs, {.pipeline = said.pipeline}),
                     said)));
  }

  static std::string comparison(double seconds, double best, bool isFirst) {
    if (isFirst)
      return "the fastest";
    if (seconds <= best)
      return "as fast, with more memory";
    return llvm::formatv("{0:F1} % slower", 100 * (seconds / best - 1));
  }

  /// Without a search: the first that was tried has most devices, and so most
  /// memory.
  LogicalResult refuse() {
    const PlanCandidate &first = tried.front().candidate;
    InFlightDiagnostic error = module.emitError()
                               << "no plan for " << choices.partitions
                               << (choices.partitions > 1 ? " devices: "
                                                          : " device: ");
    if (looked)
      error << looked->refusal(request.memoryLimit, choices.isTrained);
    else
      error << first.lost;
    if (!looked && first.mostBytes > 0)
      error << ", and needs " << first.mostBytes << " bytes of "
            << request.memoryLimit
            << (choices.isTrained ? " with nothing computed again" : "");
    if (looked || first.mostBytes > 0)
      error << "; raise the memory limit, or use more devices";
    return error;
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
  std::optional<PlacementFound> looked; ///< At, where nothing proposed fits.
};

} // namespace

FailureOr<PlanChoices> planAutomatically(ModuleOp module,
                                         const PlacementRequest &request,
                                         const CostModel &costs,
                                         const ModuleLowering &lowering) {
  return AutoPlanner(module, request, costs, lowering).run();
}

} // namespace smp::passes
