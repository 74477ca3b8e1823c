// SPDX-License-Identifier: Apache-2.0
// A terminal that nobody sits at.

#ifndef SMP_TESTS_UNIT_TOOLS_TERMINAL_H
#define SMP_TESTS_UNIT_TOOLS_TERMINAL_H

#include "smp/base/Status.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <string>
#include <unistd.h>

namespace smp::test {

/// What `draw` writes to it, or why there is none.
inline StatusOr<std::string>
drawnOnTerminal(const std::function<void(std::FILE *)> &draw) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    return unavailable(std::strerror(errno));
  setenv("TERM", "xterm", 1);
  std::FILE *file = std::fopen(ptsname(terminal), "w");
  if (!file)
    return unavailable(std::strerror(errno));
  draw(file);
  std::fclose(file);
  std::string text;
  char piece[256];
  for (ssize_t size; (size = read(terminal, piece, sizeof piece)) > 0;)
    text.append(piece, size_t(size));
  close(terminal);
  return text;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TOOLS_TERMINAL_H
