// SPDX-License-Identifier: Apache-2.0
// What steps of training take: time by stage and by kernel, memory, and what
// the schedule allows.

#ifndef SMP_BENCH_MEASURED_H
#define SMP_BENCH_MEASURED_H

#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <map>

namespace smp::bench {

/// Bytes of one device.
struct MemoryOf {
  uint64_t planned = 0;
  uint64_t measured = 0; ///< The most that was allocated, and what is mapped.
};

struct Measured {
  std::vector<double> steps; ///< Seconds of each.
  /// Median seconds of a run, in the order of the entry's stages.
  std::vector<double> stages;
  /// Median seconds of a step in each kernel, and launches per step.
  std::map<std::string, std::pair<double, double>> kernels;
  /// What a step would take if each run took its stage's median.
  double boundSeconds = 0;
  std::vector<MemoryOf> memory; ///< Per partition.
};

/// Runs the entry `train` `steps` times after some that do not count.
StatusOr<Measured> measureSteps(const std::string &path,
                                const std::string &devices, int steps);

/// The entry `train`, or an error.
StatusOr<const Entry *> trainEntry(const Program &program);

} // namespace smp::bench

#endif // SMP_BENCH_MEASURED_H
