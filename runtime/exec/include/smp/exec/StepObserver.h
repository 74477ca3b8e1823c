// SPDX-License-Identifier: Apache-2.0
// Being told of the steps of a Session. Since 0.1.

#ifndef SMP_EXEC_STEPOBSERVER_H
#define SMP_EXEC_STEPOBSERVER_H

#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include "smp/model/Mode.h"
#include <array>

namespace smp {

/// Steps that a Session has completed, by the number of their mode minus 1. A
/// step is one call of Session::step(), however many microbatches it has.
using StepCounts = std::array<uint64_t, kNumModes>;

/// A step that succeeded. All of it is borrowed for the call.
struct CompletedStep {
  std::string_view entry;
  Mode mode = Mode::Global; ///< The entry's.
  uint64_t modeStep = 0;    ///< How many steps of this mode came before.
  uint64_t globalStep = 0;  ///< How many steps of any mode came before.
  uint32_t microbatches = 1;
  StepOutput output;
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
  /// Called after each step that succeeded, before its result is returned, on
  /// the thread that runs it. The Session is busy meanwhile. May not throw.
  virtual Status onStep(const CompletedStep &step) = 0;
};

} // namespace smp

#endif // SMP_EXEC_STEPOBSERVER_H
