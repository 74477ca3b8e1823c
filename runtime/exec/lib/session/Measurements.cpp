// SPDX-License-Identifier: Apache-2.0
#include "Measurements.h"

namespace smp {

static uint32_t timesRun(const EntryState &entry, const StageRun &run) {
  return entry.plan().isUpdate(int32_t(run.position)) ? 1
                                                      : entry.microbatches();
}

void Measurements::measure(const EntryState &entry) {
  for (MeasuredStage &stage : stages) {
    if (stage.entry != &entry)
      continue;
    const uint32_t runs = timesRun(entry, *stage.run);
    for (uint32_t m = 0; m < runs; ++m) {
      const std::span<const uint64_t> times = stage.run->times(m);
      stage.seconds += double(times.back() - times.front()) * 1e-9;
    }
    stage.runs += runs;
  }
}

std::span<const ProfileSpan> Measurements::profile(const EntryState &entry) {
  spans.clear();
  for (const MeasuredStage &stage : stages) {
    if (stage.entry != &entry)
      continue;
    StageRun &run = *stage.run;
    const uint32_t partition = run.partition.number();
    const StageCode &code = run.partition.code(run.stage);
    for (uint32_t m = 0; m < timesRun(entry, run); ++m) {
      const std::span<const uint64_t> times = run.times(m);
      spans.push_back({ProfileSpan::Kind::Stage, program.stages[run.stage].name,
                       partition, m, times.front(), times.back(), run.stage});
      for (size_t i = 0; i < code.launches.size(); ++i)
        spans.push_back({ProfileSpan::Kind::Kernel,
                         code.launches[i].info.kernel, partition, m, times[i],
                         times[i + 1],
                         program.stages[run.stage].launches[i].kernel});
    }
  }
  return spans;
}

std::vector<StageTime> Measurements::times() const {
  std::vector<StageTime> list;
  for (const MeasuredStage &measured : stages) {
    const Stage &stage = program.stages[measured.run->stage];
    list.push_back(
        {measured.entry->entry().name, stage.name, stage.partition,
         stage.predictedSeconds,
         measured.runs ? measured.seconds / double(measured.runs) : 0,
         measured.runs});
  }
  return list;
}

} // namespace smp
