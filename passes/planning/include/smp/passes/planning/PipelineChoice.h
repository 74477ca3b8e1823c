// SPDX-License-Identifier: Apache-2.0
// In which order training works, as far as plans depend on it.

#ifndef SMP_PASSES_PLANNING_PIPELINECHOICE_H
#define SMP_PASSES_PLANNING_PIPELINECHOICE_H

#include "smp/model/Config.h"
#include <cstdint>

namespace smp::passes {

struct PipelineChoice {
  PipelineKind kind = PipelineKind::Interleaved;
  /// The most microbatches that are begun and not finished; 0: partitions + 2.
  uint32_t active = 0;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PIPELINECHOICE_H
