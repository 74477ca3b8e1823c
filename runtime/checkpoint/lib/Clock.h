// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_CHECKPOINT_CLOCK_H
#define SMP_CHECKPOINT_CLOCK_H

#include <chrono>

namespace smp {

/// Seconds since 1970.
inline double now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace smp

#endif // SMP_CHECKPOINT_CLOCK_H
