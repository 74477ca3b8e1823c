// SPDX-License-Identifier: Apache-2.0
#include "TrialTensors.h"
#include "Elements.h"
#include "Texts.h"
#include <cmath>

namespace smp {

/// "weights" and "biases" have whatever is called so. What is in a collection
/// that says what it is, as the slots of a weight, is none.
static void leaveOutOfParameters(RuleTensor &tensor) {
  if (tensor.isInAny({"inputs", "gradients", "optimizer_variables", "layers"}))
    std::erase_if(tensor.collections, [](const std::string &collection) {
      return collection == "weights" || collection == "biases";
    });
}

StatusOr<TrialTensors> TrialTensors::of(const Trial &trial, size_t depth,
                                        RuleClock clock) {
  TrialTensors made(trial, depth, std::move(clock));
  const auto steps = trial.steps();
  if (steps.empty())
    return made;
  made.last = steps.back();
  SMP_ASSIGN_OR_RETURN(const auto names, trial.tensorNames());
  for (const std::string &name : names)
    made.known.emplace(name, RuleTensor{name, {}});
  for (const auto &collection : trial.collections().collections) {
    SMP_ASSIGN_OR_RETURN(const auto having,
                         trial.tensorNames({.collection = collection.name}));
    for (const std::string &name : having)
      made.known.at(name).collections.push_back(collection.name);
  }
  for (auto &[name, tensor] : made.known)
    leaveOutOfParameters(tensor);
  return made;
}

Status TrialTensors::enter(uint64_t globalStep) {
  if (!ofStep.empty())
    previous = current.globalStep;
  const ModeStep ofMode = *trial->modeStep(globalStep);
  current = {ofMode.mode, ofMode.step, globalStep};
  SMP_ASSIGN_OR_RETURN(const auto names,
                       trial->tensorNames({.step = globalStep}));
  ofStep.clear();
  for (const std::string &name : names) {
    ofStep.push_back(&known.at(name));
    history.push(name, {current});
  }
  return Status();
}

std::vector<RuleStep> TrialTensors::stepsOf(std::string_view tensor) const {
  return history.stepsOf(tensor, current.mode);
}

std::optional<TensorPlace> TrialTensors::placeOf(std::string_view tensor,
                                                 size_t back) const {
  const Step *found = history.find(tensor, current.mode, back);
  return found ? std::optional(TensorPlace{.step = found->step.globalStep})
               : std::nullopt;
}

StatusOr<std::optional<double>>
TrialTensors::number(std::string_view tensor, const TensorReduction &reduction,
                     size_t back) {
  const auto place = placeOf(tensor, back);
  if (!place)
    return std::optional<double>();
  const auto number =
      trial->reductionValue(tensor, *place, StoredReduction::of(reduction));
  if (number.ok())
    return std::optional(*number);
  // It was neither saved nor follows from what was.
  if (number.status().code() == StatusCode::InvalidArgument)
    return std::optional<double>();
  return number.status();
}

StatusOr<std::optional<RuleValue>> TrialTensors::value(std::string_view tensor,
                                                       size_t back) {
  const auto place = placeOf(tensor, back);
  if (!place || !trial->hasValue(tensor, *place))
    return std::optional<RuleValue>();
  SMP_ASSIGN_OR_RETURN(read, trial->value(tensor, *place));
  if (!read.texts.empty())
    return std::optional<RuleValue>();
  return std::optional(RuleValue{read.type, read.bytes});
}

StatusOr<std::optional<NumericFaults>>
TrialTensors::faults(std::string_view tensor) {
  SMP_ASSIGN_OR_RETURN(const auto whole, value(tensor, 0));
  if (whole)
    return faultsOf(*whole);
  return faultsOfNumbers(tensor, *placeOf(tensor, 0));
}

StatusOr<std::optional<NumericFaults>>
TrialTensors::faultsOfNumbers(std::string_view tensor,
                              const TensorPlace &place) const {
  SMP_ASSIGN_OR_RETURN(const auto numbers,
                       trial->reductionValues(tensor, place));
  for (const auto &[reduction, number] : numbers)
    if (!std::isfinite(number))
      return std::optional(NumericFaults{
          .nans = std::isnan(number),
          .infs = std::isinf(number),
          .text = "its saved " + reduction.text() + " is " + figure(number)});
  return std::optional<NumericFaults>();
}

StatusOr<std::optional<double>>
TrialTensors::timeOf(uint64_t globalStep) const {
  const TensorPlace place{.step = globalStep};
  SMP_ASSIGN_OR_RETURN(const auto names,
                       trial->tensorNames({.step = globalStep}));
  for (const std::string &name : names) {
    if (trial->hasValue(name, place)) {
      SMP_ASSIGN_OR_RETURN(const SavedTensor saved, trial->value(name, place));
      return std::optional(saved.wallTime);
    }
    SMP_ASSIGN_OR_RETURN(const auto numbers,
                         trial->reductionValues(name, place));
    if (numbers.empty())
      continue;
    SMP_ASSIGN_OR_RETURN(
        const SavedTensor saved,
        trial->savedReduction(name, place, numbers.front().first));
    return std::optional(saved.wallTime);
  }
  return std::optional<double>();
}

StatusOr<RuleWaits> TrialTensors::waits() {
  RuleWaits waits;
  SMP_ASSIGN_OR_RETURN(const auto now, timeOf(current.globalStep));
  if (!now)
    return waits;
  if (previous) {
    SMP_ASSIGN_OR_RETURN(const auto before, timeOf(*previous));
    if (before)
      waits.before = *now - *before;
  }
  if (current.globalStep == last && !trial->hasEnded())
    waits.after = clock() - *now;
  return waits;
}

} // namespace smp
