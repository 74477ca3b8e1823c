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
  SMP_RETURN_IF_ERROR(checkComplete(name));
  SMP_RETURN_IF_ERROR(writeFile(pathOf(name) + std::string(kPinSuffix),
                                std::string_view(), fileSystem));
  return checkComplete(name); // A sweep may have been quicker.
}

Status CheckpointFolder::unpin(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const std::string name, nameOfPath(path));
  SMP_RETURN_IF_ERROR(removeFile(name + std::string(kPinSuffix)));
  return sync();
}

} // namespace smp
