// SPDX-License-Identifier: Apache-2.0
// Schedules as tables that people write, in CSV: a line per entry and
// partition, its runs in order.
//
//   entry,partition,runs
//   train,0,0F0,0F1,3B0,0F2,3B1,3B2,4U
//   train,1,1F0,2B0,1F1,2B1,1F2,2B2,5U
//
// A run is the stage, a letter for its phase (F, B, W, U) and the microbatch,
// which an update has none of.

#ifndef SMP_MODEL_SCHEDULETABLE_H
#define SMP_MODEL_SCHEDULETABLE_H

#include "smp/model/Expected.h"
#include "smp/model/Schedule.h"
#include <string_view>

namespace smp {

class ScheduleTable {
public:
  struct Run {
    uint32_t item = 0; ///< Which field of the line, from 1 on.
    uint32_t stage = 0;
    Phase phase = Phase::Forward;
    uint32_t microbatch = 0;
  };
  struct Row {
    uint32_t line = 0; ///< Of the text, from 1 on.
    std::string entry;
    uint32_t partition = 0;
    std::vector<Run> runs;
  };

  ScheduleTable() = default;

  /// Reads CSV as of RFC 4180, with lines of any length: fields that are empty
  /// are gaps, for who sets runs below each other. An error names the line, the
  /// item and what to write there. O(text).
  static Expected<ScheduleTable> read(std::string_view text);

  /// Adds the lines of an entry.
  void add(const std::string &entry, const PipelineShape &pipeline,
           const Schedule &schedule);
  /// As it is read.
  std::string write() const;

  const std::vector<Row> &rows() const { return list; }
  bool has(std::string_view entry) const;

  /// The schedule of an entry, with a receive for each channel before the run
  /// that reads it and a send after the run that writes it. It is proved, with
  /// channels as deep as one likes. An error names the line, the item and the
  /// reason: stages that are not there or not on the partition, runs that are
  /// left out, twice or out of order, partitions that wait for ever.
  Expected<Schedule> scheduleOf(std::string_view entry,
                                const PipelineShape &pipeline,
                                uint32_t microbatches) const;

private:
  std::vector<Row> list;
};

} // namespace smp

#endif // SMP_MODEL_SCHEDULETABLE_H
