// SPDX-License-Identifier: Apache-2.0
// Times and memory of a run, for people and for programs.

#ifndef SMP_TOOLS_SMPRUN_RUNSTATS_H
#define SMP_TOOLS_SMPRUN_RUNSTATS_H

#include "smp/runtime/Session.h"

namespace smp {

struct RunStats {
  std::string entry;
  std::vector<double> seconds; ///< Of each timed step; not empty.
  uint32_t microbatches = 1;
  LoadTime load;
  std::vector<DeviceMemory> memory;
  std::vector<StageTime> stages;   ///< Of the entry.
  std::vector<KernelWork> kernels; ///< That were launched.

  /// One JSON object and a newline; keys are only ever added.
  std::string json() const;
  std::string text() const;
};

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_RUNSTATS_H
