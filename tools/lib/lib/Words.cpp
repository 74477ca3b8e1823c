// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Words.h"
#include <cstdio>

namespace smp {

const char *wordOf(Unit unit) {
  static constexpr const char *kWords[] = {
      "forward", "backward-input", "backward-weight", "update", "prepare"};
  return kWords[int(unit)];
}

const char *wordOf(Origin origin) {
  static constexpr const char *kWords[] = {"user", "propagated", "solver"};
  return kWords[int(origin)];
}

const char *wordOf(VariableKind kind) {
  static constexpr const char *kWords[] = {
      "parameter", "optimizer", "state", "random", "constant", "accumulator"};
  return kWords[int(kind)];
}

std::string wordOf(const Placement &placement) {
  return placement.partition == Placement::kAll
             ? "all"
             : std::to_string(placement.partition);
}

std::string describeEnd(const Program &program, const Entry &entry,
                        const Edge::End &end, bool isSource) {
  if (end.stage == Edge::kCaller) {
    const auto &list = isSource ? entry.inputs : entry.outputs;
    return (isSource ? "input '" : "output '") + list[end.index].name + "'";
  }
  const Stage &stage = program.stages[entry.stages[size_t(end.stage)]];
  return "stage " + std::to_string(end.stage) + " '" + stage.name + "' " +
         (isSource ? "output " : "input ") + std::to_string(end.index);
}

static std::string formatNumber(double value, const char *unit) {
  char text[64];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f %s" : "%.1f %s", value,
                unit);
  return text;
}

std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  double value = double(bytes) / 1024;
  const char *units[] = {"KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; value >= 1024 && unit < 3; ++unit)
    value /= 1024;
  return formatNumber(value, units[unit]);
}

std::string formatSeconds(double seconds) {
  if (seconds >= 1)
    return formatNumber(seconds, "s");
  if (seconds >= 1e-3)
    return formatNumber(seconds * 1e3, "ms");
  return formatNumber(seconds * 1e6, "us");
}

std::string predictBubble(const Program &program, const Entry &entry,
                          uint32_t microbatches) {
  const Timeline timeline = predictTimeline(program, entry, microbatches);
  return formatNumber(100 * bubble(pipelineShape(program, entry), timeline),
                      "%");
}

std::vector<uint32_t> shownMicrobatches(const Entry &entry) {
  if (entry.microbatches > 0)
    return {entry.microbatches};
  return {1, 8};
}

std::string describeSchedule(const Entry &entry) {
  if (entry.microbatches == 0)
    return "any number of microbatches";
  return std::to_string(entry.microbatches) + " microbatches, schedule '" +
         entry.schedule + "'";
}

double predictSeconds(const Program &program, const Entry &entry,
                      uint32_t microbatches) {
  return predictTimeline(program, entry, microbatches).makespan;
}

} // namespace smp
