// SPDX-License-Identifier: Apache-2.0
#include "TrialState.h"
#include "smp/base/Lists.h"
#include "smp/base/Pieces.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp {

static constexpr const char *kEndFile = "training_job_end.ts";

Status Trial::State::readCollections() {
  const std::vector<std::string> files = folder.collectionFiles();
  if (files.empty()) {
    const std::string what =
        quote(folder.path()) + " has no collections/*/*_collections.json";
    return folder.has("index") || folder.has("collections")
               ? unavailable(what + " yet")
               : invalidArgument(what + ": it is no trial");
  }
  std::string text;
  SMP_RETURN_IF_ERROR(folder.read(files[0], text));
  SMP_ASSIGN_OR_RETURN(collections, parseEventCollections(text).in(files[0]));
  if (files.size() < collections.numWorkers && folder.has(kEndFile))
    return failedPrecondition(
        quote(folder.path()) + " has the collections of " +
        std::to_string(files.size()) + " workers of " +
        std::to_string(collections.numWorkers) + ", and the run has ended");
  steps.setWorkers(collections.numWorkers);
  return Status();
}

/// What an index file says, or why it cannot be read.
struct Trial::State::Read {
  std::optional<EventIndex> index;
  std::shared_ptr<const TensorTable> tensors;
  std::string problem;
};

namespace {
/// Reads index files; equal lists of tensors have one table.
class TableReader {
public:
  StatusOr<EventIndex> read(std::string_view text,
                            std::shared_ptr<const TensorTable> &table) {
    SMP_ASSIGN_OR_RETURN(EventIndex index, reader.read(text));
    auto &known = tables[index.tensors.get()];
    if (!known)
      known = std::make_shared<const TensorTable>(index.tensors);
    table = known;
    return index;
  }

private:
  EventIndexReader reader;
  std::unordered_map<const EventIndex::Tensors *,
                     std::shared_ptr<const TensorTable>>
      tables;
};
} // namespace

Status Trial::State::readFiles(const std::vector<IndexFile> &files,
                               std::vector<Read> &results) const {
  static constexpr size_t kLeastFiles = 256; // For which a thread is worth it.
  const size_t parts =
      std::clamp<size_t>(files.size() / kLeastFiles, 1, kListsAtATime);
  results.resize(files.size());
  const auto readPart = [&](size_t part, PieceRoom) {
    TableReader reader;
    std::string text;
    for (size_t i = part * files.size() / parts;
         i < (part + 1) * files.size() / parts; ++i) {
      Status status = folder.read(files[i].path, text);
      if (status.ok()) {
        auto index = reader.read(text, results[i].tensors);
        status = index.status().in(files[i].path);
        if (index.ok())
          results[i].index = index.take();
      }
      results[i].problem = status.message();
    }
    return Status();
  };
  return forEachPiece(parts, readPart, kListsAtATime);
}

void Trial::State::add(const IndexFile &file, Read read) {
  if (!read.index) {
    problems.push_back(std::move(read.problem));
    return;
  }
  const Status added =
      steps.add(file.step, {read.index->mode, read.index->modeStep},
                {file.worker, read.index->eventsFile, read.tensors});
  if (!added.ok())
    problems.push_back(added.in(file.path).message());
  else if (tables.insert(read.tensors.get()).second)
    for (const TensorTable::Entry &entry : read.tensors->entries())
      if (names.emplace(entry.name).second)
        orderedNames.emplace_back(entry.name);
}

Status Trial::State::refresh() {
  // Looked for first: what was written before it is then seen.
  const bool isOver = folder.has(kEndFile);
  std::vector<IndexFile> files = folder.indexFiles();
  std::erase_if(files, [&](const IndexFile &file) {
    return file.step < options.beginStep || file.step >= options.endStep ||
           steps.has(file.step, file.worker);
  });
  std::vector<Read> results;
  SMP_RETURN_IF_ERROR(readFiles(files, results));
  problems.clear();
  for (size_t i = 0; i < files.size(); ++i)
    add(files[i], std::move(results[i]));
  if (isOver)
    steps.end();
  return Status();
}

void Trial::State::watchFolders() {
  watch->add(folder.path());
  watch->add(folder.path() + "/index");
  for (const std::string &name : folder.list("index"))
    watch->add(folder.path() + "/index/" + name);
}

Status Trial::State::awaitChange(std::chrono::milliseconds timeout) {
  // What came before anybody watched raises no event.
  if (watch)
    watch->wait(timeout);
  else
    watch = std::make_unique<FolderWatch>();
  // Before one looks, so that nothing comes in between.
  watchFolders();
  return refresh();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

const WorkerFile *Trial::State::fileWith(const SavedStep &step,
                                         std::string_view name,
                                         std::string_view worker) {
  for (const WorkerFile &file : step.files)
    if ((worker.empty() || worker == file.worker) && file.tensors->find(name))
      return &file;
  return nullptr;
}

Status Trial::State::checkName(std::string_view name) const {
  if (names.contains(name))
    return Status();
  return invalidArgument("tensor " + quote(name) + " was not saved in " +
                         quote(folder.path()) + ", which has " +
                         std::to_string(names.size()) + " others");
}

static std::string spell(const TensorPlace &place) {
  std::string text = "step " + std::to_string(place.step);
  if (place.mode != Mode::Global)
    text += " of " + std::string(toEventMode(place.mode));
  return text;
}

StatusOr<Trial::State::Found>
Trial::State::find(std::string_view name, const TensorPlace &place) const {
  SMP_RETURN_IF_ERROR(checkName(name));
  const ModeStep step{place.mode, place.step};
  const auto global = steps.globalStep(step);
  if (!global && steps.state(step) == StepState::NotYetAvailable)
    return unavailable(spell(place) + " is not there yet");
  if (!global)
    return invalidArgument(spell(place) + " was not saved");
  const SavedStep &saved = *steps.find(*global);
  if (const WorkerFile *file = fileWith(saved, name, place.worker))
    return Found{*global, file, file->tensors->find(name)};
  if (!place.worker.empty() && !saved.find(place.worker))
    return invalidArgument("worker " + quote(place.worker) + " did not write " +
                           spell(place) + "; it has " +
                           listNames(saved.files, &WorkerFile::worker));
  return invalidArgument("tensor " + quote(name) + " was not saved in " +
                         spell(place));
}

Status Trial::State::load(uint64_t globalStep, const WorkerFile &file,
                          const TensorTable::Record &listed,
                          Loaded &loaded) const {
  SMP_RETURN_IF_ERROR(
      folder.read(file.eventsFile, listed.start, listed.bytes, loaded.bytes));
  const auto where = [&] {
    return file.eventsFile + ", record at byte " + std::to_string(listed.start);
  };
  auto record = decodeEventRecord(loaded.bytes);
  if (!record.ok())
    return record.status().in(where());
  if (record->name != listed.name || record->step != globalStep)
    return dataLoss(where() + ": is " + quote(record->name) + " of step " +
                    std::to_string(record->step) + "; the index says " +
                    quote(listed.name) + " of step " +
                    std::to_string(globalStep));
  loaded.record = record.take();
  return Status();
}

StatusOr<Trial::State::Loaded>
Trial::State::loadValue(std::string_view name, const TensorPlace &place) const {
  SMP_ASSIGN_OR_RETURN(const Found found, find(name, place));
  if (!found.entry->value)
    return invalidArgument(
        "the value of " + quote(name) + " was not saved in " + spell(place) +
        (found.entry->reductions.empty()
             ? ", only its shape"
             : ", only " +
                   join(found.entry->reductions, ", ",
                        [](const auto &one) { return one.first.text(); })));
  Loaded loaded;
  SMP_RETURN_IF_ERROR(
      load(found.globalStep, *found.file, *found.entry->value, loaded));
  return loaded;
}

} // namespace smp
