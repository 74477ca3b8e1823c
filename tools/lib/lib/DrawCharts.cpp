// SPDX-License-Identifier: Apache-2.0
#include "Html.h"
#include "Words.h"
#include "smp/serialization/PartitionLayout.h"
#include <algorithm>

namespace smp {

static constexpr int64_t kLeft = 90, kWidth = 800, kRow = 28, kBar = 20;

static std::string partitionLabel(uint32_t partition) {
  return svgText(0, partition * kRow + 15,
                 "partition " + std::to_string(partition), "label");
}

std::string drawTimeline(const Program &program, const Entry &entry) {
  const uint32_t microbatches = entry.microbatches ? entry.microbatches : 4;
  Timeline timeline = predictTimeline(program, entry, microbatches);
  if (timeline.makespan <= 0)
    return "<p>The stages carry no predicted times.</p>\n";
  double scale = double(kWidth) / timeline.makespan;
  std::string svg = svgBegin(kLeft + kWidth, program.partitions * kRow);
  for (uint32_t p = 0; p < timeline.partitions.size(); ++p) {
    svg += partitionLabel(p);
    for (const Timeline::Span &span : timeline.partitions[p]) {
      if (span.action.kind != ActionKind::Run)
        continue;
      int64_t x = kLeft + int64_t(span.start * scale);
      int64_t end = kLeft + int64_t(span.end * scale);
      const Stage &stage = program.stages[entry.stages[span.action.index]];
      std::string microbatch = std::to_string(span.action.microbatch);
      svg += svgBox(x, p * kRow, std::max<int64_t>(end - x, 1), kBar,
                    colourOf(int32_t(p)),
                    "stage " + std::to_string(span.action.index) + " '" +
                        stage.name + "', microbatch " + microbatch + "\n" +
                        formatSeconds(span.start) + " to " +
                        formatSeconds(span.end),
                    "class=\"op propagated\"");
      if (end - x > 12)
        svg += svgText(x + 4, p * kRow + 14, microbatch, "label");
    }
  }
  return svg + "</svg>\n<p>" + std::to_string(microbatches) +
         " microbatches: " + formatSeconds(timeline.makespan) +
         " expected, bubble " + predictBubble(program, entry, microbatches) +
         ", one core per partition.</p>\n";
}

std::string drawMemory(const Program &program) {
  struct Part {
    const char *name;
    const char *fill;
    uint64_t PartitionMemory::*bytes;
  };
  static constexpr Part kParts[] = {
      {"variables", "#7fb2d9", &PartitionMemory::variables},
      {"rollback", "#95c2e2", &PartitionMemory::rollback},
      {"prepared", "#b3d3ea", &PartitionMemory::prepared},
      {"constants", "#c9c9c9", &PartitionMemory::constants},
      {"arena", "#f2b566", &PartitionMemory::arena},
      {"channels", "#9ccf97", &PartitionMemory::channels},
      {"workspace", "#d9a7c7", &PartitionMemory::workspace},
  };
  const std::vector<PartitionMemory> partitions = memoryOf(program);
  uint64_t most = 1;
  for (const PartitionMemory &memory : partitions)
    most = std::max(most, memory.total());
  double scale = double(kWidth) / double(most);
  std::string svg =
      svgBegin(kLeft + kWidth + 90, (program.partitions + 1) * kRow);
  for (uint32_t p = 0; p < program.partitions; ++p) {
    const PartitionMemory &memory = partitions[p];
    svg += partitionLabel(p);
    double x = double(kLeft);
    for (const Part &part : kParts) {
      double width = double(memory.*part.bytes) * scale;
      svg += svgBox(int64_t(x), p * kRow, int64_t(x + width) - int64_t(x), kBar,
                    part.fill,
                    std::string(part.name) + ": " +
                        formatBytes(memory.*part.bytes));
      x += width;
    }
    svg += svgText(int64_t(x) + 6, p * kRow + 15, formatBytes(memory.total()),
                   "label");
  }
  int64_t x = kLeft, y = program.partitions * kRow;
  for (const Part &part : kParts) {
    svg += svgBox(x, y + 4, 12, 12, part.fill, part.name);
    svg += svgText(x + 16, y + 14, part.name, "label");
    x += 100;
  }
  return svg + "</svg>\n";
}

} // namespace smp
