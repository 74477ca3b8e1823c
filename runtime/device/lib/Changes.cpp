// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Changes.h"

namespace smp {

void Changes::note() {
  count.fetch_add(1);
  if (sleepers.load())
    unparkAll(count);
}

bool Changes::waitBeyond(
    uint32_t seen,
    std::optional<std::chrono::steady_clock::time_point> deadline) {
  using std::chrono::steady_clock, std::chrono::nanoseconds;
  const nanoseconds left =
      deadline ? *deadline - steady_clock::now() : nanoseconds(0);
  if (deadline && left.count() <= 0)
    return false;
  sleepers.fetch_add(1);
  if (deadline)
    parkFor(count, seen, uint64_t(left.count()));
  else
    park(count, seen);
  sleepers.fetch_sub(1);
  return true;
}

} // namespace smp
