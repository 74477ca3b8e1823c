// SPDX-License-Identifier: Apache-2.0
// Which process something is of: fork() copies its memory, but no threads, and
// what it has locked or opened stays the other process's.

#ifndef SMP_BASE_PROCESSMARK_H
#define SMP_BASE_PROCESSMARK_H

#include "smp/base/Status.h"
#include <cstdint>

namespace smp {

/// Remembers the process that made it. Any thread may ask.
class ProcessMark {
public:
  /// Not in a process that was forked off since.
  bool isHere() const { return forks == now(); }

private:
  static uint32_t now();

  uint32_t forks = now();
};

/// The error of calls, where it is not, to what was opened before the fork and
/// has threads: "Session".
Status forkedOff(const std::string &what);

} // namespace smp

#endif // SMP_BASE_PROCESSMARK_H
