// SPDX-License-Identifier: Apache-2.0
#include "WriteSignals.h"
#include <cerrno>
#include <ctime>

namespace smp {

static constexpr int kSignals[] = {SIGPIPE, SIGXFSZ};

WritesGiveErrors::WritesGiveErrors() {
  sigset_t raised;
  sigemptyset(&raised);
  for (int signal : kSignals)
    sigaddset(&raised, signal);
  sigpending(&pendingBefore);
  pthread_sigmask(SIG_BLOCK, &raised, &before);
}

WritesGiveErrors::~WritesGiveErrors() {
  const int error = errno;
  sigset_t raised, pending;
  sigemptyset(&raised);
  sigpending(&pending);
  for (int signal : kSignals)
    if (sigismember(&pending, signal) == 1 &&
        sigismember(&pendingBefore, signal) != 1)
      sigaddset(&raised, signal);
  const timespec now = {};
  while (sigtimedwait(&raised, nullptr, &now) > 0 || errno == EINTR)
    ;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
}

} // namespace smp
