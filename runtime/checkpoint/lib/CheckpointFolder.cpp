// SPDX-License-Identifier: Apache-2.0
#include "CheckpointFolder.h"
#include "Keys.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointState.h"
#include "smp/serialization/MappedFile.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

namespace smp {

static double now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The positive number that the text is, as it would be written; 0: none.
static int64_t wholeNumber(std::string_view text) {
  int64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, number);
  const bool good = code == std::errc() && rest == end && number > 0 &&
                    number < INT64_MAX && text.front() != '0';
  return good ? number : 0;
}

/// Names of files in the folder; none when it cannot be read.
static std::vector<std::string> filesOf(FileSystem &files,
                                        const std::string &directory) {
  std::vector<std::string> names;
  if (files.list(directory, names) != 0)
    names.clear();
  return names;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status CheckpointFolder::open(const LogSink &log) {
  lastPreserved = now() - 1; // So that what is saved at once counts as later.
  std::set<int64_t> complete;
  for (const std::string &file : filesOf(fileSystem, directory))
    if (file.ends_with(kManifestSuffix))
      if (const int64_t number =
              numberOf(file.substr(0, file.size() - kManifestSuffix.size())))
        complete.insert(number);
  if (!complete.empty())
    largest = *complete.rbegin();
  uint64_t ignored; // Reading it will give any other error.
  if (const int error = fileSystem.size(statePath(), ignored);
      error == ENOENT || error == ENOTDIR)
    return Status();
  SMP_RETURN_IF_ERROR(readState(log));
  adoptUnnamed(complete);
  return Status();
}

Status CheckpointFolder::readState(const LogSink &log) {
  SMP_ASSIGN_OR_RETURN(MappedFile file,
                       MappedFile::open(statePath(), fileSystem));
  SMP_ASSIGN_OR_RETURN(
      CheckpointState state,
      parseCheckpointState({reinterpret_cast<const char *>(file.bytes().data()),
                            file.bytes().size()})
          .in("Invalid checkpoint state loaded from '" + directory +
              "', file 'checkpoint'"));
  const double time = now();
  lastPreserved = state.lastPreserved;
  if (time < lastPreserved) {
    log(LogLevel::Warning,
        "the clock is behind that of the checkpoints in '" + directory +
            "': those that are there now will not be deleted");
    lastPreserved = time;
  }
  latestName = state.latest;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < state.all.size(); ++i) {
    const std::string &name = state.all[i];
    if (!seen.insert(name).second)
      continue;
    largestKept = std::max(largestKept, numberOf(name));
    const double saved = state.timestamps.empty()
                             ? lastPreserved
                             : std::min(state.timestamps[i], time);
    if (isComplete(name) && saved > lastPreserved)
      kept.push_back({name, saved});
    else if (!isComplete(name) && numberOf(name) && name != latestName)
      gone.push_back(name);
  }
  largestKept = std::max(largestKept, numberOf(latestName));
  largest = std::max(largest, largestKept);
  return Status();
}

/// Checkpoints that are complete and were killed before they were named.
void CheckpointFolder::adoptUnnamed(const std::set<int64_t> &complete) {
  for (auto at = complete.upper_bound(largestKept); at != complete.end(); ++at)
    kept.push_back({prefix + std::to_string(*at), now()});
}

bool CheckpointFolder::isComplete(const std::string &name) const {
  uint64_t ignored;
  return fileSystem.size(pathOf(name) + std::string(kManifestSuffix),
                         ignored) == 0;
}

/// The N of "<checkpointName>-N"; 0 for all other names.
int64_t CheckpointFolder::numberOf(const std::string &name) const {
  if (!name.starts_with(prefix))
    return 0;
  return wholeNumber(std::string_view(name).substr(prefix.size()));
}

std::vector<std::string> CheckpointFolder::names() const {
  std::vector<std::string> list;
  for (const Kept &each : kept)
    list.push_back(each.name);
  return list;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Whether a killed AtomicFile of ours left it: "<file>.tmp-<n>-<n>".
static bool isTemporaryOf(const std::string &file, const std::string &prefix) {
  const bool isOurs =
      file.starts_with("checkpoint.tmp-") || file.starts_with(prefix);
  return isOurs && file.find(".tmp-") != file.npos;
}

/// Ok when `error` is 0.
static Status failedTo(const char *what, const std::string &path, int error) {
  if (error == 0)
    return Status();
  std::string message = "cannot ";
  for (const char *part : std::initializer_list<const char *>{
           what, " '", path.c_str(), "': ", std::strerror(error)})
    message += part;
  return unavailable(std::move(message));
}

/// Makes the folder, and those above it that are missing. Each outlives a power
/// cut in the one above it before anything is made in it; who made one that is
/// there may have been killed before that.
static int makeFolders(FileSystem &files, const std::string &path) {
  const std::string above = parentFolder(path);
  const int found = files.syncFolder(path);
  if (found == ENOENT && above != path) {
    if (const int error = makeFolders(files, above))
      return error;
    if (const int error = files.makeFolder(path); error && error != EEXIST)
      return error;
    return files.syncFolder(above);
  }
  if (found != 0)
    return found;
  // Of a folder that others made we need not be allowed to see where it is.
  const int synced = files.syncFolder(above);
  return synced == EACCES ? 0 : synced;
}

Status CheckpointFolder::prepare() {
  SMP_RETURN_IF_ERROR(failedTo("make the folder", directory,
                               makeFolders(fileSystem, directory)));
  for (const std::string &file : filesOf(fileSystem, directory))
    if (isTemporaryOf(file, prefix))
      (void)fileSystem.remove(pathOf(file));
  SMP_RETURN_IF_ERROR(remove(gone));
  gone.clear();
  return sync();
}

StatusOr<std::string> CheckpointFolder::makeRoom() {
  if (!isPrepared)
    SMP_RETURN_IF_ERROR(prepare());
  isPrepared = true;
  std::string name = prefix + std::to_string(largest + 1);
  SMP_RETURN_IF_ERROR(remove({name})); // A save that was killed.
  return name;
}

Status CheckpointFolder::sync() {
  const int error = fileSystem.syncFolder(directory);
  isPrepared &= error == 0; // What was done in it may come undone.
  return failedTo("sync the folder", directory, error);
}

Status CheckpointFolder::removeFile(const std::string &file, bool *wasThere) {
  const int error = fileSystem.remove(pathOf(file));
  if (error == 0 && wasThere)
    *wasThere = true;
  return failedTo("delete", pathOf(file), error == ENOENT ? 0 : error);
}

Status CheckpointFolder::remove(const std::vector<std::string> &names) {
  bool hadManifest = false;
  for (const std::string &name : names)
    SMP_RETURN_IF_ERROR(
        removeFile(name + std::string(kManifestSuffix), &hadManifest));
  if (hadManifest)
    SMP_RETURN_IF_ERROR(sync());
  for (const std::string &file : filesOf(fileSystem, directory))
    for (const std::string &name : names)
      if (isDataOf(file, name))
        SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

Status CheckpointFolder::add(const std::string &name, const LogSink &log) {
  const std::string before = std::exchange(latestName, name);
  kept.push_back({name, now()});
  largest = std::max(largest, numberOf(name));
  const Status status = writeState();
  if (status.ok())
    return status;
  // Its number stays used: the file may have it all the same.
  kept.pop_back();
  latestName = before;
  Status undone = before.empty() ? removeFile("checkpoint") : writeState();
  if (undone.ok())
    undone = sync(); // Nothing names it any more.
  if (undone.ok())
    undone = remove({name});
  if (!undone.ok())
    log(LogLevel::Warning, undone.message());
  return status;
}

void CheckpointFolder::sweep(size_t maxToKeep, const LogSink &log) {
  if (kept.size() <= maxToKeep)
    return;
  const auto end = kept.end() - ptrdiff_t(maxToKeep);
  std::vector<std::string> old;
  for (auto each = kept.begin(); each != end; ++each)
    old.push_back(each->name);
  if (Status status = remove(old); !status.ok())
    log(LogLevel::Warning, "an old checkpoint stays: " + status.message());
  kept.erase(kept.begin(), end);
  if (Status status = writeState(); !status.ok())
    log(LogLevel::Warning,
        "deleted checkpoints are still listed: " + status.message());
}

void CheckpointFolder::follow(const std::string &name,
                              std::optional<int64_t> maxToKeep) {
  kept.push_back({name, now()});
  latestName = name;
  largest = std::max(largest, numberOf(name));
  if (maxToKeep && kept.size() > size_t(*maxToKeep))
    kept.erase(kept.begin(), kept.end() - ptrdiff_t(*maxToKeep));
}

Status CheckpointFolder::writeState() const {
  CheckpointState state;
  state.latest = latestName;
  state.lastPreserved = lastPreserved;
  for (const Kept &each : kept) {
    state.all.push_back(each.name);
    state.timestamps.push_back(each.time);
  }
  return writeFile(statePath(), formatCheckpointState(state), fileSystem);
}

} // namespace smp
