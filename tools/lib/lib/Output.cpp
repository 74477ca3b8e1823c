// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace smp {

// The stream keeps that an error was, and not which: whoever asks later has
// lost the reason.
Status printOutput(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return Status();
  return unavailable("cannot write the standard output: " +
                     std::string(std::strerror(errno ? errno : EIO)));
}

} // namespace smp
