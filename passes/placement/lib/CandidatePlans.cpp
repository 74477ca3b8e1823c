// SPDX-License-Identifier: Apache-2.0
#include "CandidatePlans.h"
#include "AskProblem.h"
#include "PlaceItems.h"
#include "PlacementFile.h"
#include "ProblemDigest.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

/// As smp-divide-backward does it.
static void setDivided(ModuleOp target, bool divides) {
  for (auto entry : target.getOps<EntryOp>())
    if (divides && isTrained(entry))
      entry->setAttr(kDividesBackwardAttr,
                     mlir::UnitAttr::get(target.getContext()));
}

//===--------------------------------------------------------------------===//
// What is asked
//===--------------------------------------------------------------------===//

LogicalResult CandidatePlans::preparePins() {
  const bool ignoresPins = request.mode == PartitionMode::IgnoreAnnotations;
  CheckAnnotationsPassOptions check;
  check.numPartitions = request.partitions;
  check.ignorePins = ignoresPins;
  PassManager passes(model.module.getContext());
  passes.addPass(createCheckAnnotationsPass(check));
  if (!ignoresPins)
    passes.addPass(createPropagatePlacementPass());
  if (failed(passes.run(model.module)))
    return failure();
  if (ignoresPins)
    forgetPins(model.module);
  numPartitions = uint32_t(getNumPartitions(model.module));
  return success();
}

LogicalResult CandidatePlans::prepareModel() {
  const EntryWeights weights(model.module);
  for (auto entry : model.module.getOps<EntryOp>()) {
    trains |= isTrained(entry);
    if (auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr))
      microbatches = std::max(microbatches, uint32_t(count.getInt()));
    else if (weights.of(entry) > EntryWeights::kLeast)
      hasSteps = false;
  }
  for (bool divides : {false, true}) {
    if (divides && !trains)
      continue;
    OwningOpRef<ModuleOp> copy = numberedCopy(model.module);
    setDivided(*copy, divides);
    if (failed(model.lowering.toKernelOps(*copy)))
      return failure();
    lowered[divides] = std::move(copy);
  }
  return success();
}

void CandidatePlans::ask(bool keepsKernels) {
  PlacementRequest asked = request;
  if (trains) // What does not fit is computed again.
    asked.memoryLimit = 0;
  question = askProblem(model.module, model.costs, asked,
                        {.contiguous = request.contiguous}, keepsKernels);
  tried.clear();
  seen.clear();
}

//===--------------------------------------------------------------------===//
// Candidates
//===--------------------------------------------------------------------===//

std::vector<PipelineChoice>
CandidatePlans::pipelinesFor(uint32_t devices, uint32_t parts,
                             PartOrder order) const {
  if (!trains)
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
std::pair<uint32_t, uint32_t> CandidatePlans::fewestAndMost() const {
  uint32_t fewest = 1;
  for (const PartitionProblem::Pin &pin : question.problem.getPins())
    fewest = std::max(fewest, pin.partition + 1);
  return {fewest, std::max(fewest, std::min(numPartitions, numItems()))};
}

LogicalResult CandidatePlans::tryPlacements() {
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
bool CandidatePlans::makesSense(uint32_t devices, uint32_t parts,
                                PartOrder order) const {
  if (order == PartOrder::There && (parts != 2 || !trains))
    return false;
  return parts == 1 || (devices > 1 && devices * parts <= numItems());
}

LogicalResult CandidatePlans::tryPlacement(uint32_t devices, uint32_t parts,
                                           PartOrder order) {
  auto solved = solveParts(question.problem, devices, parts, order);
  if (auto *conflict = std::get_if<PartitionConflict>(&solved)) {
    tried.push_back(
        {{.devices = devices, .parts = parts, .lost = conflict->message}, {}});
    return success();
  }
  return tryDevices(std::get<std::vector<uint32_t>>(solved), devices, parts,
                    order);
}

LogicalResult CandidatePlans::tryDevices(const std::vector<uint32_t> &deviceOf,
                                         uint32_t devices, uint32_t parts,
                                         PartOrder order) {
  if (!seen.insert(deviceOf).second)
    return success();
  const uint32_t used = numDevices(deviceOf);
  const OwningOpRef<ModuleOp> placed = placedBy(deviceOf);
  for (const PipelineChoice &pipeline : pipelinesFor(devices, parts, order))
    if (failed(evaluate({.devices = used,
                         .parts = used > 1 ? parts : 1,
                         .pipeline = pipeline},
                        *placed, deviceOf)))
      return failure();
  return success();
}

uint32_t CandidatePlans::numDevices(const std::vector<uint32_t> &deviceOf) {
  return uint32_t(std::set<uint32_t>(deviceOf.begin(), deviceOf.end()).size());
}

OwningOpRef<ModuleOp>
CandidatePlans::placedBy(const std::vector<uint32_t> &deviceOf) {
  OwningOpRef<ModuleOp> placed = model.module.clone();
  place(*placed, deviceOf);
  return placed;
}

/// Where items of the question are, of a copy of the module too.
void CandidatePlans::place(ModuleOp target,
                           const std::vector<uint32_t> &deviceOf) {
  std::vector<Operation *> ops, own;
  auto collect = [](ModuleOp from, std::vector<Operation *> &into) {
    for (auto entry : from.getOps<EntryOp>())
      for (Operation &op : entry.getBody().front())
        into.push_back(&op);
  };
  collect(model.module, own);
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
CandidatePlans::figuresOf(ModuleOp placed, const PipelineChoice &pipeline) {
  const auto key = std::pair(pipeline.kind, pipeline.active);
  std::unique_ptr<ModelPlans> &known = plans[key];
  if (!known)
    known = ModelPlans::of(lowered[dividesBackward(pipeline)]->clone(),
                           model.costs, model.lowering.temporariesOf, pipeline);
  if (!known)
    return failure();
  return known->evaluate(placed);
}

LogicalResult CandidatePlans::evaluate(PlanCandidate candidate, ModuleOp placed,
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
std::optional<PlanFigures>
CandidatePlans::computeAgain(PlanCandidate &candidate, ModuleOp placed) {
  PlacementRequest within = request;
  within.pipeline = candidate.pipeline;
  OwningOpRef<ModuleOp> marked = placed.clone();
  setDivided(*marked, dividesBackward(candidate.pipeline));
  std::optional<PlanFigures> last;
  // Candidates say nothing; the one that is taken does.
  ScopedDiagnosticHandler silence(model.module.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<unsigned> chosen = chooseRecompute(
      *marked, within, model.costs,
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
      trains ? "it is over the memory limit, whatever is computed again"
             : "it is over the memory limit";
  return std::nullopt;
}

void CandidatePlans::rank(PlanCandidate &candidate,
                          const PlanFigures &figures) const {
  candidate.mostBytes = figures.mostBytes();
  double busy = figures.busySeconds, seconds = figures.stepSeconds;
  if (!hasSteps) {
    seconds = figures.bottleneck();
    busy = 0;
    for (const PlanFigures::Partition &partition : figures.partitions)
      busy += partition.seconds();
  }
  const double all = candidate.devices * seconds;
  candidate.idleShare = all > 0 ? std::max(0.0, 1 - busy / all) : 0;
  candidate.seconds =
      hasSteps || model.rows == 0 ? seconds : seconds / double(model.rows);
}

LogicalResult CandidatePlans::tryAll() {
  if (failed(preparePins()) || failed(prepareModel()))
    return failure();
  // Kernels are kept whole unless pins or the limit forbid that.
  for (bool keepsKernels : {true, false}) {
    ask(keepsKernels);
    if (failed(tryPlacements()))
      return failure();
    if (numRunnable() > 0)
      break;
  }
  if (numRunnable() > 0 || request.memoryLimit == 0)
    forgetLowered();
  return success();
}

void CandidatePlans::forgetLowered() {
  plans.clear();
  for (OwningOpRef<ModuleOp> &copy : lowered)
    copy = {};
}

size_t CandidatePlans::numRunnable() const {
  return size_t(llvm::count_if(tried, [](const Tried &plan) {
    return plan.candidate.seconds.has_value();
  }));
}

void CandidatePlans::take(const Tried &plan) {
  setDivided(model.module, dividesBackward(plan.candidate.pipeline));
  if (!request.savePlacement.empty())
    noteQuestion(plan.candidate.pipeline);
  place(model.module, plan.deviceOf);
}

/// What is asked where somebody says the pipeline that was taken: so that the
/// placement, saved, answers it.
void CandidatePlans::noteQuestion(const PipelineChoice &pipeline) {
  PlacementRequest said = request;
  if (trains)
    said.pipeline = pipeline;
  const ModuleProblem problem =
      buildProblem(model.module, model.costs, {.pipeline = said.pipeline});
  model.module->setAttr(kProblemAttr, StringAttr::get(model.module.getContext(),
                                                      digestOf(problem, said)));
}

} // namespace smp::passes
