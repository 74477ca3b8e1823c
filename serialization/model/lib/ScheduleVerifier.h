// SPDX-License-Identifier: Apache-2.0
// verifySchedule() for schedules that came from elsewhere, whose parts have
// names there.

#ifndef SMP_MODEL_LIB_SCHEDULEVERIFIER_H
#define SMP_MODEL_LIB_SCHEDULEVERIFIER_H

#include "Problem.h"
#include "smp/model/Schedule.h"

namespace smp {

/// What messages call the parts of a schedule. Here: by their numbers.
class ScheduleNames {
public:
  virtual ~ScheduleNames() = default;
  virtual std::string partition(uint32_t partition) const;
  virtual std::string action(uint32_t partition, size_t position,
                             const Action &action) const;
};

Problem verifySchedule(const PipelineShape &pipeline, const Schedule &schedule,
                       const ScheduleNames &names);

} // namespace smp

#endif // SMP_MODEL_LIB_SCHEDULEVERIFIER_H
