// SPDX-License-Identifier: Apache-2.0
// Waiting for a word of memory to change: spin a little, then sleep.

#ifndef SMP_DEVICE_PARKING_H
#define SMP_DEVICE_PARKING_H

#include "smp/device/Cores.h"
#include <atomic>
#include <chrono>
#include <cstdint>

namespace smp {

/// Sleeps while `word` is `expected`, until woken. May wake without a reason.
void park(const std::atomic<uint32_t> &word, uint32_t expected);
/// As park(), for at most this long.
void parkFor(const std::atomic<uint32_t> &word, uint32_t expected,
             uint64_t nanoseconds);
/// Wakes at most this many of the threads that are parked on `word`.
void unpark(const std::atomic<uint32_t> &word, unsigned most);
/// Wakes all of them.
void unparkAll(const std::atomic<uint32_t> &word);

/// Tells the processor that the caller spins.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins while `pending()`, a bounded time, and only where CoreClaim allows it.
/// Returns whether `pending()` still is.
template <typename Pending>
bool spinWhile(const Pending &pending) {
  if (!pending())
    return false;
  if (!CoreClaim::maySpin())
    return true;
  constexpr std::chrono::microseconds longest(100);
  const auto end = std::chrono::steady_clock::now() + longest;
  do {
    for (int i = 0; i < 64; ++i) {
      if (!pending())
        return false;
      spinPause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return true;
}

} // namespace smp

#endif // SMP_DEVICE_PARKING_H
