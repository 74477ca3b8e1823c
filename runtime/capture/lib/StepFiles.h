// SPDX-License-Identifier: Apache-2.0
// All that is written of one step.

#ifndef SMP_CAPTURE_STEPFILES_H
#define SMP_CAPTURE_STEPFILES_H

#include "MetricsFile.h"
#include "StepRecords.h"
#include "TensorboardEvents.h"

namespace smp {

struct StepFiles {
  StepRecords records;
  MetricsFile metrics;
  std::optional<TensorboardEvents> tensorboard; ///< Where it is exported.

  /// What comes is of this step; what was there is gone, but for metrics.
  void begin(const EventStep &step) {
    records.begin(step);
    if (tensorboard)
      tensorboard->begin(step);
  }
};

} // namespace smp

#endif // SMP_CAPTURE_STEPFILES_H
