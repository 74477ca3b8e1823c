// SPDX-License-Identifier: Apache-2.0
#include "Latest.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointState.h"
#include <chrono>

namespace smp {

static std::string fileNameOf(const std::string &prefix) {
  return prefix.substr(prefix.rfind('/') + 1);
}

Status checkPrefix(const std::string &prefix) {
  if (isPlainFileName(fileNameOf(prefix)))
    return Status();
  return invalidArgument("'" + prefix +
                         "' is no name of a checkpoint, "
                         "as folder/ckpt-1 is");
}

StatusOr<bool> nameLatest(const std::string &prefix) {
  const std::string path = parentFolder(prefix) + "/checkpoint";
  uint64_t ignored = 0;
  if (FileSystem::disk().size(path, ignored) == 0)
    return false;
  using Seconds = std::chrono::duration<double>;
  const double now =
      Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string name = fileNameOf(prefix);
  SMP_RETURN_IF_ERROR(
      writeFile(path, formatCheckpointState({name, {name}, {now}, now - 1})));
  return true;
}

} // namespace smp
