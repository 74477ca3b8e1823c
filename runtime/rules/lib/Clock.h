// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_RULES_CLOCK_H
#define SMP_RULES_CLOCK_H

#include <chrono>

namespace smp {

/// Seconds since 1970, by the system.
inline double systemSeconds() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

} // namespace smp

#endif // SMP_RULES_CLOCK_H
