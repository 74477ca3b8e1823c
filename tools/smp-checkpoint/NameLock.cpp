// SPDX-License-Identifier: Apache-2.0
#include "NameLock.h"
#include "smp/serialization/CheckpointFiles.h"
#include <cerrno>
#include <cstring>

namespace smp {

/// "run/ckpt" of "run/ckpt-3"; empty when there is no number.
static std::string managerOf(const std::string &prefix) {
  const size_t digits = prefix.find_last_not_of("0123456789") + 1;
  if (digits == prefix.size() || digits < 2 || prefix[digits - 1] != '-')
    return {};
  return prefix.substr(0, digits - 1);
}

Status NameLock::take(const std::string &prefix) {
  const std::string manager = managerOf(prefix);
  if (manager.empty())
    return Status();
  std::string holder;
  const std::string name = manager + std::string(kLockSuffix);
  const int error = files.lock(name, held, holder);
  if (error == 0)
    path = name;
  if (error == 0 || error == ENOTSUP)
    return Status();
  if (error == EBUSY)
    return failedPrecondition("a manager saves '" + manager + "-N': " + holder +
                              ", which has locked '" + name +
                              "'; end it, or give another name");
  return unavailable("cannot lock '" + name + "': " + std::strerror(error));
}

/// Before it ends, so that nobody else has the file that is removed.
NameLock::~NameLock() {
  if (!path.empty())
    (void)files.remove(path);
}

} // namespace smp
