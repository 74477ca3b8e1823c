// SPDX-License-Identifier: Apache-2.0
#include "EntryPlan.h"
#include "EntryPlanMaker.h"
#include <algorithm>

namespace smp {

bool EntryPlan::isUpdate(const Action &action) const {
  const uint32_t stage = action.kind == ActionKind::Run
                             ? action.index
                             : shape.channels[action.index].from;
  return isUpdate(int32_t(stage));
}

bool EntryPlan::changesVariables() const {
  return std::any_of(shape.stages.begin(), shape.stages.end(),
                     [](const PipelineShape::Stage &stage) {
                       return stage.phase == Phase::Update;
                     }) ||
         std::any_of(states.begin(), states.end(),
                     [](const auto &some) { return !some.empty(); });
}

const Schedule &EntryPlan::schedule(uint32_t microbatches) {
  if (lists.microbatches != microbatches)
    forwardOnly(shape, microbatches, lists);
  return lists;
}

std::string EntryPlan::describeChannel(uint32_t channel) const {
  const PipelineShape::Channel &where = shape.channels[channel];
  auto describe = [&](uint32_t position) {
    const Stage &stage = program.stages[entry.stages[position]];
    return "stage '" + stage.name + "' (partition " +
           std::to_string(stage.partition) + ")";
  };
  return "from " + describe(where.from) + " to " + describe(where.to);
}

StatusOr<std::unique_ptr<EntryPlan>> EntryPlan::make(const PlanContext &context,
                                                     uint32_t entry) {
  std::unique_ptr<EntryPlan> plan(new EntryPlan(entry, context.program));
  SMP_RETURN_IF_ERROR(EntryPlanMaker(context, *plan).make());
  return plan;
}

} // namespace smp
