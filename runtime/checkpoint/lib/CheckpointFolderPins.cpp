// SPDX-License-Identifier: Apache-2.0
// Checkpoints that nobody deletes.
#include "CheckpointFolder.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointFiles.h"
#include <cerrno>

namespace smp {

/// Also where that cannot be told.
bool CheckpointFolder::isPinned(const std::string &name) const {
  uint64_t ignored;
  const int error =
      fileSystem.size(pathOf(name) + std::string(kPinSuffix), ignored);
  return error != ENOENT && error != ENOTDIR;
}

Status CheckpointFolder::pin(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const std::string name, nameOfPath(path));
  const std::string aside = name + std::string(kDeletedSuffix);
  Status complete = checkComplete(name);
  if (!complete.ok() && !isFile(aside))
    return complete;
  SMP_RETURN_IF_ERROR(writeFile(pathOf(name) + std::string(kPinSuffix),
                                std::string_view(), fileSystem));
  // Of deletions only one can have begun before there was a pin to see: what
  // it sets aside after the first look is there at the second.
  for (int looks = 0; looks < 2; ++looks) {
    if (!isThere(name))
      (void)fileSystem.rename(pathOf(aside),
                              pathOf(name) + std::string(kManifestSuffix));
    complete = checkComplete(name);
    if (complete.ok())
      return sync();
  }
  if (!isThere(name)) // It was quicker.
    (void)removeFile(name + std::string(kPinSuffix));
  return complete;
}

Status CheckpointFolder::unpin(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const std::string name, nameOfPath(path));
  SMP_RETURN_IF_ERROR(removeFile(name + std::string(kPinSuffix)));
  return sync();
}

} // namespace smp
