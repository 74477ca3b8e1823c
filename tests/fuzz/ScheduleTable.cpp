// SPDX-License-Identifier: Apache-2.0
// Schedules as tables, of a pipeline of two partitions.
#include "smp/model/ScheduleTable.h"
#include <cstdlib>

using namespace smp;

/// Two forward stages, their backward ones, two updates.
static PipelineShape twoLayers() {
  PipelineShape pipeline;
  pipeline.partitions = 2;
  pipeline.stages = {
      {0, {}, {0, 1}, Phase::Forward}, {1, {0}, {2}, Phase::Forward},
      {1, {2}, {3}, Phase::Backward},  {0, {1, 3}, {}, Phase::Backward},
      {0, {}, {}, Phase::Update},      {1, {}, {}, Phase::Update}};
  pipeline.channels = {{0, 1}, {0, 3}, {1, 2}, {2, 3}};
  return pipeline;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const Expected<ScheduleTable> table = ScheduleTable::read(text);
  if (table.ok() != table.error().empty())
    std::abort();
  if (!table.ok())
    return 0;
  // What was read is written as it is read again.
  const std::string written = table->write();
  const Expected<ScheduleTable> again = ScheduleTable::read(written);
  if (!again.ok() || again->write() != written)
    std::abort();
  PipelineShape pipeline = twoLayers();
  const Expected<Schedule> schedule = table->scheduleOf("train", pipeline, 3);
  if (schedule.ok() != schedule.error().empty())
    std::abort();
  if (!schedule.ok())
    return 0;
  const std::vector<uint32_t> depths = channelDepths(pipeline, *schedule);
  for (size_t c = 0; c < depths.size(); ++c)
    pipeline.channels[c].depth = depths[c];
  if (verifySchedule(pipeline, *schedule))
    std::abort();
  return 0;
}
