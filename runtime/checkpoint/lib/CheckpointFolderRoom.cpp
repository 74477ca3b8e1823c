// SPDX-License-Identifier: Apache-2.0
// Room for a checkpoint: the lock, the folder, and what is in the way.
#include "CheckpointFolder.h"
#include "DataFiles.h"
#include "smp/base/MakeFolders.h"
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>
#include <cerrno>

namespace smp {

/// None where there is no folder.
StatusOr<std::vector<std::string>> CheckpointFolder::listFiles() const {
  std::vector<std::string> files;
  const int error = fileSystem.list(directory, files);
  if (error == ENOTDIR)
    return failedPrecondition("'" + directory +
                              "' is a file, or below one, and can hold no "
                              "checkpoints; give another directory");
  if (error != ENOENT)
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
/// its name makes another. In a process that was forked off since the lock is
/// still the other's.
void CheckpointFolder::unlock() {
  if (held && mark.isHere())
    (void)fileSystem.remove(pathOf(lockName()));
  held.reset();
  isLocked = false;
}

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
  mark = ProcessMark();
  const Status opened = open(saysNothing);
  if (!opened.ok())
    unlock();
  return opened;
}

//===----------------------------------------------------------------------===//
// Making room
//===----------------------------------------------------------------------===//

Status CheckpointFolder::prepare(const LogSink &log) {
  SMP_RETURN_IF_ERROR(makeFolders(fileSystem, directory));
  const bool wasLocked = isLocked;
  SMP_RETURN_IF_ERROR(lock(log));
  if (!wasLocked)
    SMP_RETURN_IF_ERROR(bringBackPinned());
  if (Status tidied = tidy(); !tidied.ok())
    log(LogLevel::Warning,
        "what was killed here has left files, which stay: " + tidied.message());
  return sync();
}

StatusOr<CheckpointRoom>
CheckpointFolder::makeRoom(std::optional<int64_t> number, const LogSink &log) {
  if (number && (*number < 0 || *number > kMostNumber))
    return invalidArgument("the number is " + std::to_string(*number) +
                           "; give one from 0 to " +
                           std::to_string(kMostNumber));
  if (!isPrepared)
    SMP_RETURN_IF_ERROR(prepare(log));
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
  std::vector<std::string> killed{name};
  SMP_RETURN_IF_ERROR(remove(killed));
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

} // namespace smp
