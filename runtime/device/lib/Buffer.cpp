// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Buffer.h"

namespace smp {

bool MemoryMeter::take(uint64_t bytes) {
  uint64_t before = used.load();
  do {
    if (bytes > bound - before)
      return false;
  } while (!used.compare_exchange_weak(before, before + bytes));
  const uint64_t now = before + bytes;
  uint64_t seen = most.load();
  while (seen < now && !most.compare_exchange_weak(seen, now)) {
  }
  return true;
}

} // namespace smp
