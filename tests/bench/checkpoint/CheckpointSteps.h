// SPDX-License-Identifier: Apache-2.0
// What saves after every step take from training.

#ifndef SMP_BENCH_CHECKPOINTSTEPS_H
#define SMP_BENCH_CHECKPOINTSTEPS_H

#include "smp/checkpoint/CheckpointManager.h"

namespace smp::bench {

/// Prints what steps with saveAsync() after each take beside steps without, and
/// what plain writes of as many bytes take from them. Of the program, or if
/// that is null of a training as large as the workload 'char', 'blocks' or
/// 'resnet'. The folder is made anew.
void measureSteps(const std::string &folder, const char *name,
                  const char *program);

/// Of a manager that says nothing.
CheckpointManagerOptions quietOptions(const std::string &folder,
                                      std::optional<int64_t> maxToKeep = 1);

} // namespace smp::bench

#endif // SMP_BENCH_CHECKPOINTSTEPS_H
