// SPDX-License-Identifier: Apache-2.0
// What is done to a folder before a checkpoint is written into it.
#include "CheckpointFolder.h"
#include "DataFiles.h"
#include "FailedTo.h"
#include "Keys.h"
#include <algorithm>
#include <cerrno>

namespace smp {

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

/// None where there is no folder.
StatusOr<std::vector<std::string>> CheckpointFolder::listFiles() const {
  std::vector<std::string> files;
  const int error = fileSystem.list(directory, files);
  if (error != ENOENT && error != ENOTDIR)
    SMP_RETURN_IF_ERROR(failedTo("list", directory, error));
  return files;
}

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
                           target == name + std::string(kManifestSuffix));
    if (isOurs || (target == "checkpoint" && isAlone))
      (void)fileSystem.remove(pathOf(file));
  }
  return Status();
}

Status CheckpointFolder::prepare() {
  SMP_RETURN_IF_ERROR(removeTemporaries());
  if (hasTakenOver) {
    SMP_RETURN_IF_ERROR(remove(gone));
    gone.clear();
  }
  return sync();
}

StatusOr<std::string> CheckpointFolder::makeRoom(const LogSink &log) {
  if (!isPrepared) {
    SMP_RETURN_IF_ERROR(failedTo("make the folder", directory,
                                 makeFolders(fileSystem, directory)));
    SMP_RETURN_IF_ERROR(lock(log));
    SMP_RETURN_IF_ERROR(prepare());
  }
  isPrepared = true;
  SMP_ASSIGN_OR_RETURN(std::string name, nextName(log));
  SMP_RETURN_IF_ERROR(remove({name})); // A save that was killed.
  return name;
}

/// Of which there is nothing, or what a save that was killed left.
StatusOr<std::string> CheckpointFolder::nextName(const LogSink &log) {
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  for (;; ++largest) {
    std::string name = nameOf(largest + 1);
    std::vector<std::string> foreign =
        findDataFiles(fileSystem, directory, files, name).foreign;
    const std::string manifest = name + std::string(kManifestSuffix);
    if (std::find(files.begin(), files.end(), manifest) != files.end())
      foreign.push_back(manifest);
    if (foreign.empty())
      return name;
    log(LogLevel::Warning, "'" + pathOf(foreign.front()) +
                               "' is in the way of '" + name +
                               "': it stays, and that number is left out");
  }
}

} // namespace smp
