// SPDX-License-Identifier: Apache-2.0
// Room for a checkpoint: the lock, the folder, and what is in the way.
#include "CheckpointFolder.h"
#include "DataFiles.h"
#include "MakeFolders.h"
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>
#include <cerrno>

namespace smp {

/// None where there is no folder.
StatusOr<std::vector<std::string>> CheckpointFolder::listFiles() const {
  std::vector<std::string> files;
  const int error = fileSystem.list(directory, files);
  if (error != ENOENT && error != ENOTDIR)
    SMP_RETURN_IF_ERROR(failedTo("list", directory, error));
  return files;
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

/// Those that a killed AtomicFile of ours left. Managers of other names may be
/// writing the file `checkpoint`.
Status CheckpointFolder::removeTemporaries() {
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  const bool isAlone =
      std::none_of(files.begin(), files.end(), [&](const std::string &file) {
        return file.ends_with(kLockSuffix) && file != lockName();
      });
  for (const std::string &file : files) {
    const std::string_view target = targetOfTemporary(file);
    const std::string name(target.substr(0, target.find('.', prefix.size())));
    const bool isOurs =
        numberOf(name) && (isDataOf(target, name) ||
                           target == name + std::string(kManifestSuffix) ||
                           target == name + std::string(kPinSuffix));
    if (isOurs || (target == "checkpoint" && isAlone))
      (void)fileSystem.remove(pathOf(file));
  }
  return Status();
}

Status CheckpointFolder::prepare() {
  SMP_RETURN_IF_ERROR(removeTemporaries());
  if (hasTakenOver) {
    std::erase_if(gone, [this](const auto &name) { return isPinned(name); });
    SMP_RETURN_IF_ERROR(remove(gone));
    gone.clear();
  }
  return sync();
}

StatusOr<CheckpointRoom>
CheckpointFolder::makeRoom(std::optional<int64_t> number, const LogSink &log) {
  if (number && (*number < 0 || *number > kMostNumber))
    return invalidArgument("the number is " + std::to_string(*number) +
                           "; give one from 0 to " +
                           std::to_string(kMostNumber));
  if (!isPrepared) {
    SMP_RETURN_IF_ERROR(makeFolders(fileSystem, directory));
    SMP_RETURN_IF_ERROR(lock(log));
    SMP_RETURN_IF_ERROR(prepare());
  }
  isPrepared = true;
  std::string name;
  if (!number) {
    SMP_ASSIGN_OR_RETURN(name, nextName(log));
  } else {
    name = nameOf(*number);
    SMP_RETURN_IF_ERROR(checkNoForeign(name));
    if (isThere(name))
      return roomInPlaceOf(name);
  }
  SMP_RETURN_IF_ERROR(remove({name})); // A save that was killed.
  return CheckpointRoom{name, name};
}

/// Of which there is nothing, or what a save that was killed left.
StatusOr<std::string> CheckpointFolder::nextName(const LogSink &log) {
  for (; largest < kMostNumber; ++largest) {
    std::string name = nameOf(largest + 1);
    SMP_ASSIGN_OR_RETURN(std::string foreign, findForeign(name));
    if (foreign.empty() && isThere(name))
      foreign = name + std::string(kManifestSuffix);
    if (foreign.empty())
      return name;
    log(LogLevel::Warning, "'" + pathOf(foreign) + "' is in the way of '" +
                               name +
                               "': it stays, and that number is left out");
  }
  return failedPrecondition("'" + nameOf(largest) +
                            "' has the last number: give the next "
                            "checkpoints numbers, or a new folder");
}

/// A file by the name of one of the checkpoint's that no manager wrote; empty:
/// there is none.
StatusOr<std::string>
CheckpointFolder::findForeign(const std::string &name) const {
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  const auto found = findDataFiles(fileSystem, directory, files, name);
  return found.foreign.empty() ? std::string() : found.foreign.front();
}

Status CheckpointFolder::checkNoForeign(const std::string &name) const {
  SMP_ASSIGN_OR_RETURN(const std::string foreign, findForeign(name));
  if (foreign.empty())
    return Status();
  return failedPrecondition("'" + pathOf(foreign) + "' is in the way of '" +
                            name +
                            "', and no manager wrote it; move it away, or give "
                            "another number");
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
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  std::vector<std::string> data;
  for (const std::string &name : names)
    for (std::string &file :
         findDataFiles(fileSystem, directory, files, name).ours)
      data.push_back(std::move(file));
  bool hadManifest = false;
  for (const std::string &name : names)
    SMP_RETURN_IF_ERROR(
        removeFile(name + std::string(kManifestSuffix), &hadManifest));
  if (hadManifest)
    SMP_RETURN_IF_ERROR(sync());
  for (const std::string &file : data)
    SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

} // namespace smp
