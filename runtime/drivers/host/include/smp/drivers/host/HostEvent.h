// SPDX-License-Identifier: Apache-2.0
// Events of drivers that run on the CPU.

#ifndef SMP_DRIVERS_HOST_HOSTEVENT_H
#define SMP_DRIVERS_HOST_HOSTEVENT_H

#include "smp/device/Stream.h"
#include <atomic>

namespace smp {

/// Counts how often it was recorded and how often a record was reached.
class HostEvent final : public Event {
public:
  bool done() const override { return reached(announced()); }
  Status wait() override { return waitFor(announced()); }

  /// A record was put into a stream; returns its number.
  uint32_t announce() {
    return recorded.fetch_add(1, std::memory_order_release) + 1;
  }
  /// The number of the last record.
  uint32_t announced() const {
    return recorded.load(std::memory_order_acquire);
  }
  /// The stream reached its next record, with `status`.
  void complete(const Status &status);
  bool reached(uint32_t number) const {
    return reaches(completed.load(std::memory_order_acquire), number);
  }
  Status waitFor(uint32_t number);

private:
  /// `word` counts completions from bit 1 on; both counts may wrap.
  static bool reaches(uint32_t word, uint32_t number) {
    return int32_t(word - (number << 1)) >= 0;
  }

  std::atomic<uint32_t> recorded{0};
  // Bit 0: somebody sleeps. In one word with the count, so that complete()
  // touches the event for the last time when the event becomes done.
  std::atomic<uint32_t> completed{0};
  Status outcome; // Written before `completed` says so.
};

} // namespace smp

#endif // SMP_DRIVERS_HOST_HOSTEVENT_H
