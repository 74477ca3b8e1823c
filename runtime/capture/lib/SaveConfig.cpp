// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/SaveConfig.h"
#include <algorithm>

namespace smp {

bool StepSelection::has(int64_t step) const {
  if (std::find(saveSteps.begin(), saveSteps.end(), step) != saveSteps.end())
    return true;
  return step >= startStep && step < endStep && step % saveInterval == 0;
}

/// What `said` says takes the place of what was there.
static void apply(const SaveConfigMode &said, StepSelection &steps) {
  steps.saveInterval = said.saveInterval.value_or(steps.saveInterval);
  steps.startStep = said.startStep.value_or(steps.startStep);
  steps.endStep = said.endStep.value_or(steps.endStep);
  if (said.saveSteps)
    steps.saveSteps = *said.saveSteps;
}

StepSelection selectSteps(Mode mode, const SaveConfig &hook,
                          const SaveConfig &collection) {
  StepSelection steps;
  apply(hook, steps);
  apply(hook.of(mode), steps);
  apply(collection, steps);
  apply(collection.of(mode), steps);
  return steps;
}

static Status checkInterval(const SaveConfigMode &said,
                            const std::string &prefix) {
  if (said.saveInterval.value_or(1) >= 1)
    return Status();
  return invalidArgument("'" + prefix + "save_interval' is " +
                         std::to_string(*said.saveInterval) +
                         "; it must be 1 or more (to save nothing, set "
                         "'end_step' to 0)");
}

Status checkSaveConfig(const SaveConfig &config) {
  SMP_RETURN_IF_ERROR(checkInterval(config, ""));
  for (const ModeName &mode : kModeNames)
    SMP_RETURN_IF_ERROR(
        checkInterval(config.of(mode.mode), std::string(mode.word) + "."));
  return Status();
}

} // namespace smp
