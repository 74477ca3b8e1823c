// SPDX-License-Identifier: Apache-2.0
// Being told of the steps of a Session. Since 0.1.

#ifndef SMP_EXEC_STEPOBSERVER_H
#define SMP_EXEC_STEPOBSERVER_H

#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include "smp/model/Mode.h"
#include "smp/model/TensorStatistics.h"
#include <array>

namespace smp {

/// Steps that a Session has completed, by the number of their mode minus 1. A
/// step is one call of Session::step(), however many microbatches it has.
using StepCounts = std::array<uint64_t, kNumModes>;

/// How much somebody wants to see of a step, beside its outputs. Each shows all
/// that those before it show.
enum class StepView : uint8_t {
  Outputs,
  Statistics, ///< Of what the program was compiled to show.
  Values,     ///< The same, and the values.
};

/// A step that is about to begin, and may yet fail.
struct UpcomingStep {
  std::string_view entry;
  Mode mode = Mode::Global;
  uint64_t modeStep = 0, globalStep = 0; ///< As of CompletedStep.
};

/// A value that the program was compiled to show, or statistics of it.
struct ShownValue {
  const Tap *tap = nullptr; ///< Of the program, not null.
  /// As an output of the entry, with a first dimension for the microbatches: a
  /// value of the step as a whole has one. Of statistics, kNumStatistics f64 of
  /// each.
  OutputTensor tensor = {};
  /// The stage that gives it, and where that runs. Empty: it is an input, which
  /// goes through none.
  std::string_view stage = {};
  uint32_t partition = 0;

  /// Of a tap of statistics: those of all microbatches, joined in their order.
  TensorStatistics statistics() const {
    return TensorStatistics::ofMicrobatches(
        {static_cast<const std::byte *>(tensor.data), tensor.bytes},
        uint64_t(tap->type.elements()));
  }
};

/// A step that succeeded. All of it is borrowed for the call.
struct CompletedStep {
  std::string_view entry;
  Mode mode = Mode::Global; ///< The entry's.
  uint64_t modeStep = 0;    ///< How many steps of this mode came before.
  uint64_t globalStep = 0;  ///< How many steps of any mode came before.
  /// Which call of step() it is, whatever became of those before: the same on
  /// all ranks.
  uint64_t call = 0;
  uint32_t microbatches = 1;
  StepOutput output;
  /// What was shown, in the order of the program; at least as much as the
  /// observer wanted, if the program can show it.
  std::span<const ShownValue> shown = {};
};

/// What happens to a Session's step when an observer of it fails.
enum class OnObserverError {
  SwitchOff, ///< The error is logged once, the observer is not called again.
  Stop,      ///< The same, and the step returns the error.
};

/// Sees the steps of a Session. It has no function outside of this header, so
/// that an application may derive from it whatever its flags are.
class SMP_API StepObserver {
public:
  virtual ~StepObserver() = default;
  /// Called before each step, on the thread that runs it: what the observer
  /// wants to see of it. With several ranks all show the most that an observer
  /// of any of them wants. A step that shows something does the same to
  /// variables and outputs as one that does not, bit by bit. May not throw.
  virtual StepView wants(const UpcomingStep &) { return StepView::Outputs; }
  /// Whether it is shown what all ranks show, which is sent to this one; else
  /// what the partitions of this one do. May not throw.
  virtual bool gathers() const { return false; }
  /// Called after each step that succeeded, before its result is returned, on
  /// the thread that runs it. The Session is busy meanwhile. May not throw.
  virtual Status onStep(const CompletedStep &step) = 0;
  /// Called after onStep() of all, where that succeeded, on the same thread and
  /// before the step returns. The Session is free: a checkpoint may be saved,
  /// variables read and set; a step that is made is refused. An error is not
  /// one of the observer, which stays on: it is logged, or the step's if errors
  /// stop and nothing else failed. May not throw.
  virtual Status afterStep() { return Status(); }
  /// Called when a checkpoint is about to take the values of variables, on the
  /// thread that saves. Who goes on from there makes no step again that was
  /// made: what the observer keeps of them is to last when this returns. May
  /// not throw.
  virtual Status onSnapshot() { return Status(); }
};

} // namespace smp

#endif // SMP_EXEC_STEPOBSERVER_H
