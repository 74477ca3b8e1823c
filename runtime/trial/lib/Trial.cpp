// SPDX-License-Identifier: Apache-2.0
#include "TrialState.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/regex/Regex.h"
#include <algorithm>

namespace smp {

Trial::Trial(std::unique_ptr<State> state) : state(std::move(state)) {}
Trial::Trial(Trial &&) noexcept = default;
Trial &Trial::operator=(Trial &&) noexcept = default;
Trial::~Trial() = default;

StatusOr<Trial> Trial::open(const std::string &path, TrialOptions options) {
  SMP_ASSIGN_OR_RETURN(TrialFolder folder, TrialFolder::open(path));
  auto state = std::make_unique<State>(std::move(folder), options);
  SMP_RETURN_IF_ERROR(state->readCollections());
  SMP_RETURN_IF_ERROR(state->refresh());
  return Trial(std::move(state));
}

Status Trial::refresh() { return state->refresh(); }
Status Trial::awaitChange(std::chrono::milliseconds timeout) {
  return state->awaitChange(timeout);
}
bool Trial::hasEnded() const { return state->steps.hasEnded(); }
const std::vector<std::string> &Trial::problems() const {
  return state->problems;
}
const EventCollections &Trial::collections() const {
  return state->collections;
}

std::vector<std::string> Trial::workers() const {
  return {state->steps.workers().begin(), state->steps.workers().end()};
}

std::vector<Mode> Trial::modes() const {
  std::vector<Mode> modes;
  for (const Mode mode : {Mode::Train, Mode::Eval, Mode::Predict})
    if (state->steps.has(mode))
      modes.push_back(mode);
  return modes;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::vector<uint64_t> Trial::steps(Mode mode, StepSet set) const {
  std::vector<uint64_t> list;
  state->steps.forEach(mode, set,
                       [&](uint64_t step, uint64_t, const SavedStep &) {
                         list.push_back(step);
                       });
  return list;
}

std::optional<ModeStep> Trial::modeStep(uint64_t globalStep) const {
  const SavedStep *step = state->steps.find(globalStep);
  return step ? std::optional(ModeStep{step->mode, step->modeStep})
              : std::nullopt;
}

std::optional<uint64_t> Trial::globalStep(ModeStep step) const {
  return state->steps.globalStep(step);
}

StepState Trial::hasPassedStep(uint64_t step, Mode mode) const {
  return state->steps.state({mode, step});
}

Status Trial::waitForSteps(std::span<const uint64_t> steps, Mode mode,
                           std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout;
  for (const uint64_t step : steps) {
    const auto error = [&](StatusCode code, const std::string &what) {
      return Status(code, "step " + std::to_string(step) + " of " +
                              std::string(toEventMode(mode)) + " " + what);
    };
    while (hasPassedStep(step, mode) == StepState::NotYetAvailable) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0)
        return error(StatusCode::DeadlineExceeded,
                     "did not come within " + std::to_string(timeout.count()) +
                         " ms");
      SMP_RETURN_IF_ERROR(awaitChange(left));
    }
    if (hasPassedStep(step, mode) == StepState::Available)
      continue;
    const std::vector<uint64_t> saved = this->steps(mode);
    if (hasEnded() && (saved.empty() || saved.back() < step))
      return error(StatusCode::FailedPrecondition,
                   "will not come: the run has ended" +
                       (saved.empty()
                            ? std::string()
                            : " with step " + std::to_string(saved.back())));
    return error(StatusCode::InvalidArgument, "was not saved");
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool Trial::hasTensor(std::string_view name) const {
  return state->names.contains(name);
}

namespace {
/// What a query lets through by its regex or collection.
class NameFilter {
public:
  static StatusOr<NameFilter> make(const TensorQuery &query,
                                   const EventCollections &known) {
    NameFilter filter;
    if (!query.regex.empty() && !query.collection.empty())
      return invalidArgument("tensors are chosen by a regex or by a "
                             "collection, not by both");
    if (!query.regex.empty())
      SMP_RETURN_IF_ERROR(filter.include({query.regex}));
    if (query.collection.empty())
      return filter;
    const auto found = std::ranges::find(known.collections, query.collection,
                                         &EventCollections::Collection::name);
    if (found == known.collections.end())
      return invalidArgument(
          "no collection " + quote(query.collection) + "; there are " +
          listNames(known.collections, &EventCollections::Collection::name));
    filter.isAll = false;
    filter.listed.insert(found->tensorNames.begin(), found->tensorNames.end());
    SMP_RETURN_IF_ERROR(filter.include(found->includeRegex));
    return filter;
  }

  StatusOr<bool> passes(const std::string &name) const {
    if (isAll || listed.contains(name))
      return true;
    for (const Regex &regex : regexes) {
      SMP_ASSIGN_OR_RETURN(const bool isFound, regex.isIn(name));
      if (isFound)
        return true;
    }
    return false;
  }

private:
  Status include(const std::vector<std::string> &patterns) {
    isAll = false;
    for (const std::string &pattern : patterns) {
      SMP_ASSIGN_OR_RETURN(Regex regex, Regex::compile(pattern));
      regexes.push_back(std::move(regex));
    }
    return Status();
  }

  bool isAll = true;
  std::set<std::string> listed;
  std::vector<Regex> regexes;
};
} // namespace

/// The tables of the steps that a query asks for.
static StatusOr<std::set<const TensorTable *>>
tablesOf(const SavedSteps &steps, const TensorQuery &query) {
  if (query.mode != Mode::Global && !steps.has(query.mode))
    return invalidArgument("no step of " +
                           std::string(toEventMode(query.mode)) + " was saved");
  std::set<const TensorTable *> tables;
  steps.forEach(query.mode, StepSet::All,
                [&](uint64_t step, uint64_t, const SavedStep &saved) {
                  if (!query.step || *query.step == step)
                    for (const WorkerFile &file : saved.files)
                      tables.insert(file.tensors.get());
                });
  return tables;
}

StatusOr<std::vector<std::string>>
Trial::tensorNames(const TensorQuery &query) const {
  SMP_ASSIGN_OR_RETURN(const NameFilter filter,
                       NameFilter::make(query, state->collections));
  SMP_ASSIGN_OR_RETURN(const auto tables, tablesOf(state->steps, query));
  std::vector<std::string> names;
  for (const std::string &name : state->orderedNames) {
    if (std::ranges::none_of(tables, [&](const TensorTable *table) {
          return table->find(name) != nullptr;
        }))
      continue;
    SMP_ASSIGN_OR_RETURN(const bool passes, filter.passes(name));
    if (passes)
      names.push_back(name);
  }
  return names;
}

} // namespace smp
