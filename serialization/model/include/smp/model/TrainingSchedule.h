// SPDX-License-Identifier: Apache-2.0
// Which of the schedules of Schedule.h training gets.

#ifndef SMP_MODEL_TRAININGSCHEDULE_H
#define SMP_MODEL_TRAININGSCHEDULE_H

#include "smp/model/Config.h"
#include "smp/model/Schedule.h"

namespace smp {

struct PipelineChoice {
  PipelineKind kind = PipelineKind::Interleaved;
  /// The most microbatches that are begun and not finished; 0: as many as is
  /// usual for the kind, see usualActive().
  uint32_t active = 0;
};

/// How many microbatches are active where nobody says.
uint32_t usualActive(PipelineKind kind, uint32_t partitions);

/// Whether gradients of weights are stages of their own.
bool dividesBackward(const PipelineChoice &choice);

/// The schedule of an entry that is trained. Of the options `active` is not
/// looked at.
Schedule trainingSchedule(const PipelineChoice &choice,
                          const PipelineShape &pipeline,
                          ScheduleOptions options);

} // namespace smp

#endif // SMP_MODEL_TRAININGSCHEDULE_H
