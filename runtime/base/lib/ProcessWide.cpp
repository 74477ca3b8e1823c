// SPDX-License-Identifier: Apache-2.0
#include "smp/base/ProcessWide.h"
#include <pthread.h>

namespace smp {

static std::mutex &onlyLock() {
  static std::mutex &only = *new std::mutex;
  return only;
}

std::mutex &processWideLock() {
  [[maybe_unused]] static const int watched =
      pthread_atfork([] { onlyLock().lock(); }, [] { onlyLock().unlock(); },
                     [] { onlyLock().unlock(); });
  return onlyLock();
}

} // namespace smp
