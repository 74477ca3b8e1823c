// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Parking.h"
#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace smp {

static_assert(sizeof(std::atomic<uint32_t>) == 4 &&
              std::atomic<uint32_t>::is_always_lock_free);

static void futex(const std::atomic<uint32_t> &word, int operation,
                  uint32_t value, const timespec *timeout) {
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

void park(const std::atomic<uint32_t> &word, uint32_t expected) {
  futex(word, FUTEX_WAIT_PRIVATE, expected, nullptr);
}

void parkFor(const std::atomic<uint32_t> &word, uint32_t expected,
             uint64_t nanoseconds) {
  const timespec timeout{time_t(nanoseconds / 1000000000),
                         long(nanoseconds % 1000000000)};
  futex(word, FUTEX_WAIT_PRIVATE, expected, &timeout);
}

void unpark(const std::atomic<uint32_t> &word, unsigned most) {
  futex(word, FUTEX_WAKE_PRIVATE, std::min<unsigned>(most, INT_MAX), nullptr);
}

void unparkAll(const std::atomic<uint32_t> &word) { unpark(word, INT_MAX); }

} // namespace smp
