// SPDX-License-Identifier: Apache-2.0
// Where nothing that the solver proposes keeps a limit.
#include "AskProblem.h"
#include "BlamePins.h"
#include "CandidatePlans.h"

using namespace mlir;

namespace smp::passes {

/// What the solver proposes without a limit is where the search begins, too.
LogicalResult CandidatePlans::lookFurther() {
  std::vector<std::vector<uint32_t>> starts;
  for (const Tried &plan : tried)
    if (!plan.deviceOf.empty())
      starts.push_back(plan.deviceOf);
  const bool isRefusedByPins =
      starts.empty() && !question.problem.getPins().empty();
  PlacementRequest unlimited = request;
  unlimited.memoryLimit = 0;
  const ModuleProblem free =
      askProblem(model.module, model.costs, unlimited,
                 {.contiguous = request.contiguous}, /*keepsKernels=*/false);
  auto solved = solveParts(free.problem, numPartitions, 1, PartOrder::Round);
  auto *start = std::get_if<std::vector<uint32_t>>(&solved);
  if (!start) // Pins contradict each other.
    return success();
  starts.push_back(std::move(*start));
  const PipelineChoice pipeline{PipelineKind::Interleaved,
                                trains ? std::min(numPartitions, microbatches)
                                       : 1};
  PlacementFound found = searchPlacements(
      question.problem, request.memoryLimit, starts,
      judge(pipeline,
            [this](const auto &deviceOf) { return placedBy(deviceOf); }),
      JudgeEffort::forOps(
          assignmentOf(*placedBy(starts.back())).partitionOf.size()));
  LogicalResult result = success();
  // The solver knows which pins leave no room.
  if (!found.partitionOf.empty() && (found.fits || !isRefusedByPins)) {
    looked = std::move(found);
    const std::vector<uint32_t> &deviceOf = looked->partitionOf;
    result = tryDevices(deviceOf, numPartitions, 1, PartOrder::Round);
    // It may have been tried before, with other pipelines.
    if (succeeded(result) && looked->fits && numRunnable() == 0)
      result = evaluate({.devices = numDevices(deviceOf), .pipeline = pipeline},
                        *placedBy(deviceOf), deviceOf);
  }
  if (looked && !looked->fits && numRunnable() == 0)
    blamed = blamePins(
        model.module, request, model.costs,
        [&](OpenPlacement &open) {
          return judge(pipeline, [&open](const auto &partitionOf) {
            return OwningOpRef<ModuleOp>(open.place(partitionOf).clone());
          });
        },
        looked->isAll);
  forgetLowered();
  return result;
}

template <typename Place>
PlacementJudge CandidatePlans::judge(const PipelineChoice &pipeline,
                                     Place place) {
  PlacementJudge judge;
  judge.evaluate =
      [=, this](
          const std::vector<uint32_t> &deviceOf) -> std::optional<PlanFigures> {
    auto figures = figuresOf(*place(deviceOf), pipeline);
    return succeeded(figures) ? *figures : std::nullopt;
  };
  if (trains)
    judge.fitsComputedAgain = [=, this](const std::vector<uint32_t> &deviceOf) {
      PlanCandidate candidate{.pipeline = pipeline};
      return computeAgain(candidate, *place(deviceOf)).has_value();
    };
  return judge;
}

} // namespace smp::passes
