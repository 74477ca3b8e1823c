// SPDX-License-Identifier: Apache-2.0
// Waiting for something that is guarded by a lock to change.

#ifndef SMP_DEVICE_CHANGES_H
#define SMP_DEVICE_CHANGES_H

#include "smp/device/Parking.h"
#include <optional>

namespace smp {

/// Counts changes, and wakes those who wait for the next one. It knows nobody
/// who waits by name, so that it may end in a process that was forked off while
/// a thread waited, where a condition variable may not.
class Changes {
public:
  uint32_t now() const { return count.load(); }
  /// After a change: ends all waits.
  void note();
  /// Sleeps until now() is no more `seen`; false when the deadline passed. May
  /// end before without a reason.
  bool waitBeyond(
      uint32_t seen,
      std::optional<std::chrono::steady_clock::time_point> deadline = {});

private:
  std::atomic<uint32_t> count{0}, sleepers{0};
};

} // namespace smp

#endif // SMP_DEVICE_CHANGES_H
