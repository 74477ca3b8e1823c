// SPDX-License-Identifier: Apache-2.0
// Signals that a write may raise, which would end the process.

#ifndef SMP_BASE_LIB_WRITESIGNALS_H
#define SMP_BASE_LIB_WRITESIGNALS_H

#include <csignal>

namespace smp {

/// While it lives, a write of this thread that cannot be done gives an error
/// and no signal: EPIPE where nobody reads any more, EFBIG where the file would
/// pass the limit that the process has for its files.
class WritesGiveErrors {
public:
  WritesGiveErrors();
  ~WritesGiveErrors();
  WritesGiveErrors(const WritesGiveErrors &) = delete;

private:
  sigset_t before, pendingBefore;
};

} // namespace smp

#endif // SMP_BASE_LIB_WRITESIGNALS_H
