// SPDX-License-Identifier: Apache-2.0
#include "smp/base/ProcessMark.h"
#include <atomic>
#include <pthread.h>

namespace smp {

static std::atomic<uint32_t> sinceStart{0}; // Forks, down to this process.

uint32_t ProcessMark::now() {
  [[maybe_unused]] static const int watched =
      pthread_atfork(nullptr, nullptr, [] { ++sinceStart; });
  return sinceStart.load(std::memory_order_relaxed);
}

Status forkedOff(const std::string &what) {
  return failedPrecondition("the process was forked off after the " + what +
                            " was opened, and its threads do not exist here; "
                            "open the " +
                            what + " after the fork");
}

} // namespace smp
