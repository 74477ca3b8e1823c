// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace smp {

Status finishOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return Status();
  // An error of before may have left no reason.
  return unavailable("cannot write the standard output: " +
                     std::string(std::strerror(errno ? errno : EIO)));
}

} // namespace smp
