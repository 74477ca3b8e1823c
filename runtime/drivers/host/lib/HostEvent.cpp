// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/host/HostEvent.h"
#include "smp/device/Parking.h"

namespace smp {

void HostEvent::complete(const Status &status) {
  if (!status.ok() || !outcome.ok())
    outcome = status;
  uint32_t word = completed.load(std::memory_order_relaxed);
  while (!completed.compare_exchange_weak(word, (word & ~1u) + 2,
                                          std::memory_order_acq_rel)) {
  }
  if (word & 1)
    unparkAll(completed); // By address only: the event may be gone by now.
}

Status HostEvent::waitFor(uint32_t number) {
  if (spinWhile([&] { return !reached(number); })) {
    for (uint32_t word = completed.fetch_or(1) | 1; !reaches(word, number);
         word = completed.fetch_or(1) | 1)
      park(completed, word);
  }
  return outcome;
}

} // namespace smp
