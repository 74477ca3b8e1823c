// SPDX-License-Identifier: Apache-2.0
// Errors of files in words.

#ifndef SMP_CHECKPOINT_FAILEDTO_H
#define SMP_CHECKPOINT_FAILEDTO_H

#include "smp/base/Status.h"
#include <cstring>
#include <initializer_list>

namespace smp {

/// Ok when `error` is 0.
inline Status failedTo(const char *what, const std::string &path, int error) {
  if (error == 0)
    return Status();
  std::string message = "cannot ";
  for (const char *part : std::initializer_list<const char *>{
           what, " '", path.c_str(), "': ", std::strerror(error)})
    message += part;
  return unavailable(std::move(message));
}

} // namespace smp

#endif // SMP_CHECKPOINT_FAILEDTO_H
