// SPDX-License-Identifier: Apache-2.0
#include "ModeSteps.h"

namespace smp {

static size_t indexOf(Mode mode) { return size_t(mode) - 1; }

StatusOr<EventStep> ModeSteps::number(const CompletedStep &step,
                                      double wallTime) {
  const bool isFree = step.mode == Mode::Global;
  if (!isFree && said != Mode::Global && said != step.mode)
    return failedPrecondition(
        "the hook's mode is " + std::string(toEventMode(said)) +
        ", and the entry '" + std::string(step.entry) + "' is of mode " +
        std::string(toEventMode(step.mode)) +
        "; leave setMode() out, whose mode is for entries of mode GLOBAL");
  const Mode mode = isFree ? said : step.mode;
  int64_t &count = made[indexOf(mode)];
  if (mode == step.mode) {
    count = int64_t(step.modeStep) + moved[indexOf(mode)] + 1;
  } else {
    ++count;
    ++moved[indexOf(mode)];
    --moved[indexOf(step.mode)];
  }
  return EventStep{wallTime, step.globalStep, mode, uint64_t(count - 1)};
}

std::pair<Mode, uint64_t> ModeSteps::next(const UpcomingStep &step) const {
  const Mode mode = step.mode == Mode::Global ? said : step.mode;
  const int64_t count = mode == step.mode
                            ? int64_t(step.modeStep) + moved[indexOf(mode)]
                            : made[indexOf(mode)];
  return {mode, uint64_t(count)};
}

} // namespace smp
