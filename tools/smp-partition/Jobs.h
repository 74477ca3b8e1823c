// SPDX-License-Identifier: Apache-2.0
// Jobs of the solver on several threads.

#ifndef SMP_TOOLS_SMP_PARTITION_JOBS_H
#define SMP_TOOLS_SMP_PARTITION_JOBS_H

#include "smp/passes/planning/PartitionSolver.h"

namespace smp {

/// Runs jobs on the calling thread and on `threads - 1` others, on fewer where
/// the system gives no more.
passes::JobRunner jobsOnThreads(uint32_t threads);

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_JOBS_H
