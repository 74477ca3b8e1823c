// SPDX-License-Identifier: Apache-2.0
#include "SavedSteps.h"
#include <algorithm>

namespace smp {

const WorkerFile *SavedStep::find(std::string_view worker) const {
  const auto found = std::ranges::find(files, worker, &WorkerFile::worker);
  return found == files.end() ? nullptr : &*found;
}

const SavedStep *SavedSteps::find(uint64_t globalStep) const {
  const auto found = steps.find(globalStep);
  return found == steps.end() ? nullptr : &found->second;
}

bool SavedSteps::has(uint64_t globalStep, std::string_view worker) const {
  const SavedStep *step = find(globalStep);
  return step && step->find(worker);
}

static std::string spell(ModeStep step) {
  return "step " + std::to_string(step.step) + " of " +
         std::string(toEventMode(step.mode));
}

Status SavedSteps::add(uint64_t globalStep, ModeStep step, WorkerFile file) {
  const SavedStep *known = find(globalStep);
  if (known && (known->mode != step.mode || known->modeStep != step.step))
    return dataLoss("is " + spell(step) + "; " + known->files[0].worker +
                    " has it as " + spell({known->mode, known->modeStep}));
  const auto [one, isNew] =
      globalSteps[size_t(step.mode) - 1].try_emplace(step.step, globalStep);
  if (one->second != globalStep)
    return dataLoss("is " + spell(step) + ", which is the step " +
                    std::to_string(one->second) + " of all");
  SavedStep &saved =
      steps.try_emplace(globalStep, SavedStep{step.mode, step.step})
          .first->second;
  names.insert(file.worker);
  const auto place = std::ranges::lower_bound(saved.files, file.worker, {},
                                              &WorkerFile::worker);
  saved.files.insert(place, std::move(file));
  if (saved.files.size() >= numWorkers)
    lastComplete = std::max(lastComplete.value_or(0), globalStep);
  return Status();
}

bool SavedSteps::isComplete(const Steps::value_type &step) const {
  return isOver || (lastComplete && step.first <= *lastComplete);
}

bool SavedSteps::has(Mode mode) const {
  return !globalSteps[size_t(mode) - 1].empty();
}

std::optional<uint64_t> SavedSteps::globalStep(ModeStep step) const {
  if (step.mode == Mode::Global)
    return find(step.step) ? std::optional(step.step) : std::nullopt;
  const auto &ofMode = globalSteps[size_t(step.mode) - 1];
  const auto found = ofMode.find(step.step);
  return found == ofMode.end() ? std::nullopt : std::optional(found->second);
}

StepState SavedSteps::state(ModeStep step) const {
  if (const auto global = globalStep(step))
    return isComplete(*steps.find(*global)) ? StepState::Available
                                            : StepState::NotYetAvailable;
  if (isOver)
    return StepState::Unavailable;
  // Passed when a later one of the mode is complete.
  bool isPassed = false;
  if (step.mode == Mode::Global) {
    isPassed = lastComplete && step.step < *lastComplete;
  } else {
    const auto &ofMode = globalSteps[size_t(step.mode) - 1];
    const auto later = ofMode.upper_bound(step.step);
    isPassed = later != ofMode.end() && isComplete(*steps.find(later->second));
  }
  return isPassed ? StepState::Unavailable : StepState::NotYetAvailable;
}

} // namespace smp
