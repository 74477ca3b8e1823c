// SPDX-License-Identifier: Apache-2.0
// What is done to a folder.
#include "CheckpointFolder.h"
#include "Clock.h"
#include "Keys.h"
#include "MakeFolders.h"
#include "smp/base/AtomicFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace smp {

static constexpr std::string_view kLockSuffix = ".lock";

/// Names of files in the folder; none when it cannot be read.
static std::vector<std::string> filesOf(FileSystem &files,
                                        const std::string &directory) {
  std::vector<std::string> names;
  if (files.list(directory, names) != 0)
    names.clear();
  return names;
}

//===----------------------------------------------------------------------===//
// The lock
//===----------------------------------------------------------------------===//

std::string CheckpointFolder::lockName() const {
  return prefix.substr(0, prefix.size() - 1) + std::string(kLockSuffix);
}

CheckpointFolder::~CheckpointFolder() { unlock(); }

/// Who waits for nobody may take away the file: whoever locks one that has lost
/// its name makes another.
void CheckpointFolder::unlock() {
  if (held)
    (void)fileSystem.remove(pathOf(lockName()));
  held.reset();
  isLocked = false;
}

static void saysNothing(LogLevel, std::string_view) {}

/// What others did before is read anew: this manager did not know of it.
Status CheckpointFolder::lock(const LogSink &log) {
  if (isLocked)
    return Status();
  std::string holder;
  const int error = fileSystem.lock(pathOf(lockName()), held, holder);
  if (error == EBUSY)
    return failedPrecondition(
        "another manager saves '" + prefix + "N' in '" + directory +
        "': " + holder + ", which has locked '" + pathOf(lockName()) +
        "'; end it, or give this one another directory or checkpointName");
  if (error == ENOTSUP)
    log(LogLevel::Warning, "the file system of '" + directory +
                               "' has no locks: nothing keeps a second manager "
                               "from saving there");
  else
    SMP_RETURN_IF_ERROR(failedTo("lock", pathOf(lockName()), error));
  isLocked = true;
  const Status opened = open(saysNothing);
  if (!opened.ok())
    unlock();
  return opened;
}

//===----------------------------------------------------------------------===//
// Making room
//===----------------------------------------------------------------------===//

/// Those that a killed AtomicFile of ours left: "<file>.tmp-<n>-<n>". Managers
/// of other names may be writing the file `checkpoint`.
void CheckpointFolder::removeTemporaries() {
  const std::vector<std::string> files = filesOf(fileSystem, directory);
  const bool isAlone =
      std::none_of(files.begin(), files.end(), [&](const std::string &file) {
        return file.ends_with(kLockSuffix) && file != lockName();
      });
  for (const std::string &file : files) {
    const bool isData = numberOf(file.substr(0, file.find('.', prefix.size())));
    const bool isState = file.starts_with("checkpoint.tmp-");
    if ((isData && file.find(".tmp-") != file.npos) || (isState && isAlone))
      (void)fileSystem.remove(pathOf(file));
  }
}

Status CheckpointFolder::prepare() {
  removeTemporaries();
  if (hasTakenOver) {
    SMP_RETURN_IF_ERROR(remove(gone));
    gone.clear();
  }
  return sync();
}

StatusOr<std::string> CheckpointFolder::makeRoom(const LogSink &log) {
  if (!isPrepared) {
    SMP_RETURN_IF_ERROR(makeFolders(fileSystem, directory));
    SMP_RETURN_IF_ERROR(lock(log));
    SMP_RETURN_IF_ERROR(prepare());
  }
  isPrepared = true;
  std::string name = nameOf(largest + 1);
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

//===----------------------------------------------------------------------===//
// The file `checkpoint`
//===----------------------------------------------------------------------===//

Status CheckpointFolder::add(const std::string &name, const LogSink &log) {
  const std::string before = std::exchange(latestName, name);
  kept.push_back({name, now(), Whose::Ours});
  largest = std::max(largest, numberOf(name));
  const Status status = writeState();
  if (status.ok())
    return status;
  // Its number stays used: the file may have it all the same.
  kept.pop_back();
  latestName = before;
  Status undone = writeState();
  if (undone.ok())
    undone = sync(); // Nothing names it any more.
  if (undone.ok())
    undone = remove({name});
  if (!undone.ok())
    log(LogLevel::Warning, undone.message());
  return status;
}

/// What somebody has pinned will say no here.
bool CheckpointFolder::mayDelete(const Listed &each) const {
  return each.whose == Whose::Ours && each.name != latestName;
}

std::vector<std::string>
CheckpointFolder::oldestBeyond(size_t maxToKeep) const {
  std::vector<std::string> old;
  size_t more =
      size_t(std::count_if(kept.begin(), kept.end(), [](const Listed &each) {
        return each.whose == Whose::Ours;
      }));
  for (const Listed &each : kept)
    if (more > maxToKeep && mayDelete(each)) {
      old.push_back(each.name);
      --more;
    }
  return old;
}

void CheckpointFolder::forget(const std::vector<std::string> &names) {
  std::erase_if(kept, [&](const Listed &each) {
    return std::find(names.begin(), names.end(), each.name) != names.end();
  });
}

void CheckpointFolder::sweep(size_t maxToKeep, const LogSink &log) {
  const std::vector<std::string> old = oldestBeyond(maxToKeep);
  if (old.empty())
    return;
  if (Status status = remove(old); !status.ok())
    log(LogLevel::Warning, "an old checkpoint stays: " + status.message());
  forget(old);
  if (Status status = writeState(); !status.ok())
    log(LogLevel::Warning,
        "deleted checkpoints are still listed: " + status.message());
}

void CheckpointFolder::follow(const std::string &name,
                              std::optional<int64_t> maxToKeep) {
  kept.push_back({name, now(), Whose::Ours});
  latestName = name;
  largest = std::max(largest, numberOf(name));
  if (maxToKeep)
    forget(oldestBeyond(size_t(*maxToKeep)));
}

void CheckpointFolder::takeOver() {
  hasTakenOver = true;
  for (Listed &each : kept)
    if (each.whose == Whose::Predecessors)
      each.whose = Whose::Ours;
}

void CheckpointFolder::mend(const LogSink &log) {
  if (!isWrong || latestName.empty())
    return;
  const bool wasLocked = isLocked;
  if (!lock(saysNothing).ok())
    return;               // Who saves here mends it, or nobody can.
  Status status = sync(); // What it names may not outlive a power cut yet.
  if (status.ok() && isWrong)
    status = writeState();
  if (!status.ok())
    log(LogLevel::Warning,
        "'" + statePath() + "' stays as it is: " + status.message());
  if (!wasLocked)
    unlock();
}

/// Lists what other managers have listed by now before ours. They may write it
/// at the same time, and one of both be lost: what is complete and newer than
/// what is listed counts all the same.
Status CheckpointFolder::writeState() {
  CheckpointState state;
  std::string wrong;
  bool isNone = false;
  SMP_ASSIGN_OR_RETURN(auto before, readState(wrong, isNone));
  if (isNone) // Whatever it is, it is not ours to overwrite.
    (void)fileSystem.rename(statePath(), statePath() + ".garbled");
  if (!before)
    before.emplace();
  for (size_t i = 0; i < before->all.size(); ++i)
    if (!numberOf(before->all[i])) {
      state.all.push_back(before->all[i]);
      state.timestamps.push_back(before->timestamps.empty()
                                     ? before->lastPreserved
                                     : before->timestamps[i]);
    }
  state.latest = !latestName.empty()  ? latestName
                 : !state.all.empty() ? state.all.back()
                                      : std::string();
  if (state.latest.empty())
    return removeFile("checkpoint");
  state.lastPreserved = lastPreserved;
  for (const std::string &name : gone) {
    state.all.push_back(name);
    state.timestamps.push_back(now());
  }
  for (const Listed &each : kept) {
    state.all.push_back(each.name);
    state.timestamps.push_back(each.time);
  }
  SMP_RETURN_IF_ERROR(
      writeFile(statePath(), formatCheckpointState(state), fileSystem));
  isWrong = false;
  return Status();
}

} // namespace smp
