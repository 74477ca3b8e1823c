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
#include <filesystem>
#include <unistd.h>

namespace smp {

namespace fs = std::filesystem;

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
static std::vector<std::string> filesOf(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status CheckpointFolder::open(const LogSink &log) {
  lastPreserved = now() - 1; // So that what is saved at once counts as later.
  std::set<int64_t> complete;
  for (const std::string &file : filesOf(directory))
    if (file.ends_with(kManifestSuffix))
      if (const int64_t number =
              numberOf(file.substr(0, file.size() - kManifestSuffix.size())))
        complete.insert(number);
  if (!complete.empty())
    largest = *complete.rbegin();
  std::error_code ignored; // Reading it will give the error.
  if (fs::status(statePath(), ignored).type() == fs::file_type::not_found)
    return Status();
  SMP_RETURN_IF_ERROR(readState(log));
  adoptUnnamed(complete);
  return Status();
}

Status CheckpointFolder::readState(const LogSink &log) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(statePath()));
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
  std::error_code ignored;
  return fs::exists(pathOf(name) + std::string(kManifestSuffix), ignored);
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

Status CheckpointFolder::prepare() {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    return unavailable("cannot make the folder '" + directory +
                       "': " + error.message());
  for (const std::string &file : filesOf(directory))
    if (isTemporaryOf(file, prefix))
      fs::remove(pathOf(file), error);
  for (const std::string &name : gone)
    SMP_RETURN_IF_ERROR(remove(name));
  gone.clear();
  return Status();
}

StatusOr<std::string> CheckpointFolder::makeRoom() {
  if (!isPrepared)
    SMP_RETURN_IF_ERROR(prepare());
  isPrepared = true;
  std::string name = prefix + std::to_string(largest + 1);
  SMP_RETURN_IF_ERROR(remove(name)); // A save that was killed.
  return name;
}

static Status removeFile(const std::string &path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT)
    return Status();
  return unavailable("cannot delete '" + path + "': " + std::strerror(errno));
}

Status CheckpointFolder::remove(const std::string &name) const {
  for (std::string_view suffix : {kManifestSuffix, kModelSuffix, kStateSuffix})
    SMP_RETURN_IF_ERROR(removeFile(pathOf(name) + std::string(suffix)));
  for (const std::string &file : filesOf(directory))
    if (isShardOf(file, name))
      SMP_RETURN_IF_ERROR(removeFile(pathOf(file)));
  return Status();
}

Status CheckpointFolder::add(const std::string &name) {
  const std::string before = latestName;
  const int64_t largestBefore = largest;
  kept.push_back({name, now()});
  latestName = name;
  largest = std::max(largest, numberOf(name));
  const Status status = writeState();
  if (status.ok())
    return status;
  kept.pop_back();
  latestName = before;
  largest = largestBefore;
  return status;
}

void CheckpointFolder::sweep(size_t maxToKeep, const LogSink &log) {
  if (kept.size() <= maxToKeep)
    return;
  const auto end = kept.end() - ptrdiff_t(maxToKeep);
  for (auto old = kept.begin(); old != end; ++old)
    if (Status status = remove(old->name); !status.ok())
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
  return writeFile(statePath(), formatCheckpointState(state));
}

} // namespace smp
