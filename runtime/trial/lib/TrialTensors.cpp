// SPDX-License-Identifier: Apache-2.0
#include "TrialState.h"
#include "smp/base/Pieces.h"
#include "smp/base/Quote.h"
#include "smp/model/Elements.h"
#include <algorithm>

namespace smp {

//===----------------------------------------------------------------------===//
// Where a tensor was saved
//===----------------------------------------------------------------------===//

StatusOr<std::vector<uint64_t>> Trial::stepsOf(std::string_view name,
                                               Mode mode) const {
  SMP_RETURN_IF_ERROR(state->checkName(name));
  std::vector<uint64_t> list;
  state->steps.forEach(mode, StepSet::Complete,
                       [&](uint64_t step, uint64_t, const SavedStep &saved) {
                         if (State::fileWith(saved, name, /*worker=*/{}))
                           list.push_back(step);
                       });
  return list;
}

StatusOr<std::vector<uint64_t>> Trial::prevSteps(std::string_view name,
                                                 uint64_t step, size_t most,
                                                 Mode mode) const {
  SMP_ASSIGN_OR_RETURN(std::vector<uint64_t> list, stepsOf(name, mode));
  list.erase(std::ranges::upper_bound(list, step), list.end());
  if (list.size() > most)
    list.erase(list.begin(), list.end() - ptrdiff_t(most));
  return list;
}

StatusOr<std::vector<std::string>> Trial::workersOf(std::string_view name,
                                                    ModeStep step) const {
  SMP_ASSIGN_OR_RETURN(
      const State::Found found,
      state->find(name, {.step = step.step, .mode = step.mode}));
  std::vector<std::string> workers;
  for (const WorkerFile &file : state->steps.find(found.globalStep)->files)
    if (file.tensors->find(name))
      workers.push_back(file.worker);
  return workers;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static SavedTensor copyOf(const EventRecord &record) {
  return {record.type,
          {record.bytes.begin(), record.bytes.end()},
          {record.texts.begin(), record.texts.end()},
          record.wallTime};
}

StatusOr<SavedTensor> Trial::value(std::string_view name,
                                   const TensorPlace &place) const {
  SMP_ASSIGN_OR_RETURN(const State::Loaded loaded,
                       state->loadValue(name, place));
  return copyOf(loaded.record);
}

bool Trial::hasValue(std::string_view name, const TensorPlace &place) const {
  const auto found = state->find(name, place);
  return found.ok() && found->entry->value;
}

StatusOr<SavedTensor>
Trial::savedReduction(std::string_view name, const TensorPlace &place,
                      const StoredReduction &reduction) const {
  SMP_ASSIGN_OR_RETURN(const State::Found found, state->find(name, place));
  const TensorTable::Record *saved = found.entry->find(reduction);
  if (!saved)
    return invalidArgument(quote(reduction.text()) + " of " + quote(name) +
                           " was not saved");
  State::Loaded loaded;
  SMP_RETURN_IF_ERROR(
      state->load(found.globalStep, *found.file, *saved, loaded));
  return copyOf(loaded.record);
}

StatusOr<Shape> Trial::shape(std::string_view name,
                             const TensorPlace &place) const {
  SMP_ASSIGN_OR_RETURN(const State::Found found, state->find(name, place));
  if (found.entry->shape)
    return found.entry->shape->shape;
  SMP_ASSIGN_OR_RETURN(const State::Loaded loaded,
                       state->loadValue(name, place));
  if (!loaded.record.texts.empty())
    return Shape{int64_t(loaded.record.texts.size())};
  return loaded.record.type.shape;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A value of one element, or a reduction, which is one.
static StatusOr<double> numberOf(const EventRecord &record) {
  if (!record.texts.empty() || record.type.elements() != 1)
    return invalidArgument(quote(record.name) +
                           (record.texts.empty()
                                ? " is a " + toString(record.type) +
                                      ", no number: ask for a "
                                      "reduction of it"
                                : " is text, no number"));
  return visitElement(record.type.dtype, record.bytes, 0,
                      [](auto value) { return double(value); });
}

static StatusOr<double> reduced(const StoredReduction &reduction,
                                const EventRecord &record) {
  if (!record.texts.empty())
    return invalidArgument(quote(record.name) + " is text: it has no " +
                           reduction.text());
  return reduce(reduction, record);
}

StatusOr<double> Trial::reductionValue(std::string_view name,
                                       const TensorPlace &place,
                                       const StoredReduction &reduction) const {
  SMP_RETURN_IF_ERROR(checkReduction(reduction));
  SMP_ASSIGN_OR_RETURN(const State::Found found, state->find(name, place));
  const TensorTable::Record *saved = found.entry->find(reduction);
  if (!saved) {
    SMP_ASSIGN_OR_RETURN(const State::Loaded value,
                         state->loadValue(name, place));
    return reduced(reduction, value.record);
  }
  State::Loaded loaded;
  SMP_RETURN_IF_ERROR(
      state->load(found.globalStep, *found.file, *saved, loaded));
  return numberOf(loaded.record);
}

StatusOr<std::vector<std::pair<StoredReduction, double>>>
Trial::reductionValues(std::string_view name, const TensorPlace &place) const {
  SMP_ASSIGN_OR_RETURN(const State::Found found, state->find(name, place));
  std::vector<std::pair<StoredReduction, double>> values;
  for (const auto &[reduction, record] : found.entry->reductions) {
    State::Loaded loaded;
    SMP_RETURN_IF_ERROR(
        state->load(found.globalStep, *found.file, *record, loaded));
    SMP_ASSIGN_OR_RETURN(const double value, numberOf(loaded.record));
    values.emplace_back(reduction, value);
  }
  return values;
}

namespace {
/// Where a number of a series is, and what has to be done with it.
struct Source {
  const WorkerFile *file;
  const TensorTable::Record *record;
  bool isReduced; // What is there is the number.
};
} // namespace

/// None when the step has nothing to make it of.
static std::optional<Source>
sourceOf(const SavedStep &step, std::string_view name, std::string_view worker,
         const std::optional<StoredReduction> &reduction) {
  const WorkerFile *file = Trial::State::fileWith(step, name, worker);
  if (!file)
    return std::nullopt;
  const TensorTable::Entry &entry = *file->tensors->find(name);
  if (reduction)
    if (const auto *saved = entry.find(*reduction))
      return Source{file, saved, /*isReduced=*/true};
  if (!entry.value)
    return std::nullopt;
  return Source{file, entry.value, /*isReduced=*/!reduction};
}

StatusOr<std::vector<SeriesPoint>>
Trial::series(std::string_view name,
              const std::optional<StoredReduction> &reduction, Mode mode,
              std::string_view worker) const {
  SMP_RETURN_IF_ERROR(state->checkName(name));
  if (reduction)
    SMP_RETURN_IF_ERROR(checkReduction(*reduction));
  std::vector<SeriesPoint> points;
  std::vector<Source> sources;
  state->steps.forEach(
      mode, StepSet::Complete,
      [&](uint64_t step, uint64_t global, const SavedStep &saved) {
        if (const auto source = sourceOf(saved, name, worker, reduction)) {
          points.push_back({step, global});
          sources.push_back(*source);
        }
      });
  static constexpr size_t kLeastPoints = 256; // For which a thread is worth it.
  const size_t parts =
      std::clamp<size_t>(points.size() / kLeastPoints, 1, kListsAtATime);
  const auto readPart = [&](size_t part, PieceRoom) {
    State::Loaded loaded;
    for (size_t i = part * points.size() / parts;
         i < (part + 1) * points.size() / parts; ++i) {
      const Source &source = sources[i];
      SMP_RETURN_IF_ERROR(state->load(points[i].globalStep, *source.file,
                                      *source.record, loaded));
      SMP_ASSIGN_OR_RETURN(points[i].value,
                           source.isReduced
                               ? numberOf(loaded.record)
                               : reduced(*reduction, loaded.record));
    }
    return Status();
  };
  SMP_RETURN_IF_ERROR(forEachPiece(parts, readPart, kListsAtATime));
  return points;
}

} // namespace smp
