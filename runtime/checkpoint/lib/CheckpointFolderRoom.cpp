// SPDX-License-Identifier: Apache-2.0
// Room for a checkpoint: the lock, the folder, and what is in the way.
#include "CheckpointFolder.h"
#include "Clock.h"
#include "Keys.h"
#include "MakeFolders.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace smp {

/// Names of files in the folder; none when it cannot be read.
static std::vector<std::string> namesIn(FileSystem &files,
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
  const std::vector<std::string> files = namesIn(fileSystem, directory);
  const bool isAlone =
      std::none_of(files.begin(), files.end(), [&](const std::string &file) {
        return file.ends_with(kLockSuffix) && file != lockName();
      });
  for (const std::string &file : files) {
    const bool isState = file.starts_with("checkpoint.tmp-");
    if ((numberOf(file.substr(0, file.find('.', prefix.size()))) &&
         file.find(".tmp-") != file.npos) ||
        (isState && isAlone))
      (void)fileSystem.remove(pathOf(file));
  }
}

Status CheckpointFolder::prepare() {
  removeTemporaries();
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
  if (!number && largest >= kMostNumber)
    return failedPrecondition("'" + nameOf(largest) +
                              "' has the last number: give the next "
                              "checkpoints numbers, or a new folder");
  const std::string name = nameOf(number.value_or(largest + 1));
  if (number && isThere(name))
    return roomInPlaceOf(name);
  SMP_RETURN_IF_ERROR(remove({name})); // A save that was killed.
  return CheckpointRoom{name, name};
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
  for (const std::string &file : namesIn(fileSystem, directory))
    for (const std::string &name : names)
      if (isDataOf(file, name))
        SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

} // namespace smp
