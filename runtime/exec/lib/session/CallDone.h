// SPDX-License-Identifier: Apache-2.0
// The one call into an application that may throw.

#ifndef SMP_EXEC_CALLDONE_H
#define SMP_EXEC_CALLDONE_H

#include "AsyncSteps.h"

namespace smp {

/// Calls `done`; what it throws is said to the log, as a warning.
void callDone(const AsyncStep::Done &done, StatusOr<StepOutput> output,
              SessionLog &log);

} // namespace smp

#endif // SMP_EXEC_CALLDONE_H
