// SPDX-License-Identifier: Apache-2.0
#include "TimeData.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/tools/Words.h"
#include <algorithm>

namespace smp::page {

using Json = nlohmann::json;

Json stagesData(const Program &program, const Entry &entry) {
  Json stages = Json::array();
  for (uint32_t index : entry.stages) {
    const Stage &stage = program.stages[index];
    stages.push_back({{"name", stage.name},
                      {"partition", stage.partition},
                      {"unit", wordOf(stage.unit)},
                      {"seconds", stage.predictedSeconds},
                      {"arena", formatBytes(stage.arenaBytes)}});
  }
  return stages;
}

/// The number of microbatches of what was measured, or that is usual.
static uint32_t microbatchesOf(const Entry &entry,
                               const MeasuredStep &measured) {
  if (entry.microbatches > 0)
    return entry.microbatches;
  uint32_t count = 0;
  for (const MeasuredStep::Span &span : measured.spans)
    count = std::max(count, span.microbatch + 1);
  return count > 0 ? count : shownMicrobatches(entry).back();
}

static Json expected(const Program &program, const Entry &entry,
                     uint32_t microbatches) {
  const Timeline timeline = predictTimeline(program, entry, microbatches);
  Json spans = Json::array();
  for (const auto &partition : timeline.partitions)
    for (const Timeline::Span &span : partition)
      if (span.action.kind == ActionKind::Run)
        spans.push_back(
            {span.action.index, span.action.microbatch, span.start, span.end});
  return {{"title", "expected, one core per partition"},
          {"seconds", timeline.makespan},
          {"microbatches", microbatches},
          {"spans", std::move(spans)}};
}

Json timelinesData(const Program &program, const Entry &entry,
                   const MeasuredStep &measured) {
  Json timelines = Json::array();
  timelines.push_back(
      expected(program, entry, microbatchesOf(entry, measured)));
  if (measured.spans.empty())
    return timelines;
  Json spans = Json::array();
  double seconds = 0;
  uint32_t microbatches = 0;
  for (const MeasuredStep::Span &span : measured.spans) {
    spans.push_back({span.stage, span.microbatch, span.start, span.end});
    seconds = std::max(seconds, span.end);
    microbatches = std::max(microbatches, span.microbatch + 1);
  }
  timelines.push_back({{"title", "measured"},
                       {"seconds", seconds},
                       {"microbatches", microbatches},
                       {"spans", std::move(spans)}});
  return timelines;
}

nlohmann::ordered_json memoryData(const Program &program) {
  nlohmann::ordered_json partitions = nlohmann::ordered_json::array();
  for (const PartitionMemory &memory : memoryOf(program))
    partitions.push_back({{"variables", memory.variables},
                          {"rollback", memory.rollback},
                          {"prepared", memory.prepared},
                          {"constants", memory.constants},
                          {"arena", memory.arena},
                          {"channels", memory.channels},
                          {"workspace", memory.workspace}});
  return partitions;
}

} // namespace smp::page
