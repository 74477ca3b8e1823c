// SPDX-License-Identifier: Apache-2.0
// Which step of which mode a step is.

#ifndef SMP_CAPTURE_MODESTEPS_H
#define SMP_CAPTURE_MODESTEPS_H

#include "smp/exec/StepObserver.h"
#include "smp/serialization/EventTemplate.h"
#include <optional>
#include <utility>

namespace smp {

/// Numbers steps as their Session does, but for those of entries of mode GLOBAL
/// while another mode is set: these count among that mode's.
class ModeSteps {
public:
  /// Of the next steps; GLOBAL: none.
  void set(Mode mode) { said = mode; }
  Mode mode() const { return said; }

  /// The step, with the wall time. Fails where the entry's mode is another than
  /// the one that is set.
  StatusOr<EventStep> number(const CompletedStep &step, double wallTime);
  /// The mode that a step would have, and its number there.
  std::pair<Mode, uint64_t> next(const UpcomingStep &step) const;

private:
  Mode said = Mode::Global;
  /// By the mode's number minus 1: steps that count for it beside, or less
  /// than, the Session's; how many there were of it.
  std::array<int64_t, kNumModes> moved = {}, made = {};
};

} // namespace smp

#endif // SMP_CAPTURE_MODESTEPS_H
