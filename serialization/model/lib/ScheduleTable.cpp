// SPDX-License-Identifier: Apache-2.0
#include "smp/model/ScheduleTable.h"
#include "Csv.h"
#include "ListScheduler.h"
#include "ScheduleVerifier.h"
#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace smp {

static constexpr std::string_view kHeads[] = {"entry", "partition", "runs"};
static constexpr std::string_view kLetters = "FBWU"; // By phase.

static std::string word(Phase phase) {
  constexpr const char *kWords[] = {"forward", "backward", "weight", "update"};
  return kWords[size_t(phase)];
}

static std::string format(const ScheduleTable::Run &run) {
  const std::string text = number(run.stage) + kLetters[size_t(run.phase)];
  return run.phase == Phase::Update ? text : text + number(run.microbatch);
}

static std::string place(uint32_t line, size_t column) {
  return "line " + number(line) + ", column " + number(column);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Takes a number off the text's front.
static std::optional<uint32_t> takeNumber(std::string_view &text) {
  uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(size_t(end - text.data()));
  return value;
}

static std::optional<ScheduleTable::Run> readRun(std::string_view text) {
  ScheduleTable::Run run;
  const std::optional<uint32_t> stage = takeNumber(text);
  const size_t phase =
      text.empty() ? std::string_view::npos : kLetters.find(text.front());
  if (!stage || phase == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(1);
  run.stage = *stage;
  run.phase = Phase(phase);
  if (run.phase != Phase::Update) {
    const std::optional<uint32_t> microbatch = takeNumber(text);
    if (!microbatch)
      return std::nullopt;
    run.microbatch = *microbatch;
  }
  return text.empty() ? std::optional(run) : std::nullopt;
}

/// The runs of a line, into its row.
static Problem readRuns(const CsvLine &line, ScheduleTable::Row &row) {
  for (size_t i = 2; i < line.fields.size(); ++i) {
    const std::string &field = line.fields[i];
    if (field.empty())
      continue;
    std::optional<ScheduleTable::Run> run = readRun(field);
    if (!run)
      return place(line.number, i + 1) + " is '" + field +
             "'; write a stage, F, B, W or U, and a microbatch, as 0F1, or as "
             "4U of an update";
    run->item = uint32_t(i + 1);
    row.runs.push_back(*run);
  }
  return std::nullopt;
}

static Problem readRow(const CsvLine &line, ScheduleTable::Row &row) {
  if (line.fields.size() < 2)
    return "line " + number(line.number) +
           " has an entry only; write its partition and runs after it";
  row.line = line.number;
  row.entry = line.fields[0];
  std::string_view text = line.fields[1];
  const std::optional<uint32_t> partition = takeNumber(text);
  if (!partition || !text.empty())
    return place(line.number, 2) + " is '" + line.fields[1] +
           "'; write the number of a partition";
  row.partition = *partition;
  return readRuns(line, row);
}

Expected<ScheduleTable> ScheduleTable::read(std::string_view text) {
  const Expected<std::vector<CsvLine>> lines = readCsv(text);
  if (!lines.ok())
    return Failure{lines.error()};
  if (lines->empty() || lines->front().fields.size() < std::size(kHeads) ||
      !std::equal(std::begin(kHeads), std::end(kHeads),
                  lines->front().fields.begin()))
    return Failure{"the first line of a schedule is entry,partition,runs"};
  ScheduleTable table;
  std::set<std::pair<std::string, uint32_t>> known;
  for (size_t i = 1; i < lines->size(); ++i) {
    Row row;
    if (Problem problem = readRow((*lines)[i], row))
      return Failure{*problem};
    if (!known.emplace(row.entry, row.partition).second)
      return Failure{"line " + number(row.line) + " is of entry '" + row.entry +
                     "', partition " + number(row.partition) +
                     ", as a line before is; write all of its runs in one"};
    table.list.push_back(std::move(row));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void ScheduleTable::add(const std::string &entry, const PipelineShape &pipeline,
                        const Schedule &schedule) {
  for (uint32_t p = 0; p < schedule.actions.size(); ++p) {
    Row row{uint32_t(list.size() + 2), entry, p, {}};
    for (const Action &action : schedule.actions[p])
      if (action.kind == ActionKind::Run)
        row.runs.push_back({uint32_t(row.runs.size() + 3), action.index,
                            pipeline.stages[action.index].phase,
                            action.microbatch});
    list.push_back(std::move(row));
  }
}

std::string ScheduleTable::write() const {
  std::string text;
  for (std::string_view head : kHeads)
    text += (text.empty() ? "" : ",") + std::string(head);
  for (const Row &row : list) {
    text += "\n" + csvField(row.entry) + "," + number(row.partition);
    for (const Run &run : row.runs)
      text += "," + format(run);
  }
  return text + "\n";
}

//===----------------------------------------------------------------------===//
// As the schedule of a pipeline
//===----------------------------------------------------------------------===//

bool ScheduleTable::has(std::string_view entry) const {
  return std::any_of(list.begin(), list.end(),
                     [&](const Row &row) { return row.entry == entry; });
}

namespace {
/// Makes lists of actions, and knows which run each one belongs to.
class TableScheduler final : public ScheduleNames {
public:
  TableScheduler(const PipelineShape &pipeline, uint32_t microbatches)
      : pipeline(pipeline), rows(pipeline.partitions),
        runOf(pipeline.partitions) {
    schedule.microbatches = microbatches;
    schedule.actions.resize(pipeline.partitions);
  }

  Problem add(const ScheduleTable::Row &row) {
    if (row.partition >= pipeline.partitions)
      return place(row.line, 2) + " is partition " + number(row.partition) +
             "; the last one is " + number(pipeline.partitions - 1);
    rows[row.partition] = &row;
    for (const ScheduleTable::Run &run : row.runs)
      if (Problem problem = add(row, run))
        return problem;
    return std::nullopt;
  }

  Expected<Schedule> prove() {
    PipelineShape unbounded = pipeline;
    for (PipelineShape::Channel &channel : unbounded.channels)
      channel.depth = std::numeric_limits<uint32_t>::max();
    if (Problem problem = verifySchedule(unbounded, schedule, *this))
      return Failure{*problem};
    return std::move(schedule);
  }

private:
  Problem add(const ScheduleTable::Row &row, const ScheduleTable::Run &run) {
    if (run.stage >= pipeline.stages.size())
      return name(row, run) + " is of stage " + number(run.stage) +
             "; the last one is " + number(pipeline.stages.size() - 1);
    if (Phase phase = pipeline.stages[run.stage].phase; phase != run.phase)
      return name(row, run) + ": stage " + number(run.stage) + " is " +
             (phase == Phase::Update ? "an " : "a ") + word(phase) +
             " one; write " +
             format({run.item, run.stage, phase, run.microbatch});
    std::vector<Action> &actions = schedule.actions[row.partition];
    listRun(pipeline, run.stage, run.microbatch, actions);
    runOf[row.partition].resize(actions.size(), &run);
    return std::nullopt;
  }

  static std::string name(const ScheduleTable::Row &row,
                          const ScheduleTable::Run &run) {
    return place(row.line, run.item) + " (" + format(run) + ")";
  }

  std::string partition(uint32_t partition) const override {
    return rows[partition]
               ? "line " + number(rows[partition]->line) + ", partition " +
                     number(partition) + ","
               : "no line is for partition " + number(partition) + ", which";
  }

  std::string action(uint32_t partition, size_t position,
                     const Action &) const override {
    return name(*rows[partition], *runOf[partition][position]);
  }

  const PipelineShape &pipeline;
  std::vector<const ScheduleTable::Row *> rows; ///< By partition; or null.
  /// By partition and action.
  std::vector<std::vector<const ScheduleTable::Run *>> runOf;
  Schedule schedule;
};
} // namespace

Expected<Schedule> ScheduleTable::scheduleOf(std::string_view entry,
                                             const PipelineShape &pipeline,
                                             uint32_t microbatches) const {
  TableScheduler scheduler(pipeline, microbatches);
  for (const Row &row : list)
    if (row.entry == entry)
      if (Problem problem = scheduler.add(row))
        return Failure{*problem};
  return scheduler.prove();
}

} // namespace smp
