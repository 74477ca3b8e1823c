// SPDX-License-Identifier: Apache-2.0
// Whether something else had the processor while something was measured.

#ifndef SMP_TOOLS_DISTURBANCE_H
#define SMP_TOOLS_DISTURBANCE_H

#include <chrono>

namespace smp {

/// From its construction on, how long it took, and which part of that the
/// threads of this process had to wait for a core; of threads that have ended
/// nothing is known.
class Disturbance {
public:
  Disturbance();
  double seconds() const;
  double part() const;
  /// Little enough to believe what was measured.
  bool isSmall() const { return part() < 0.01; }

private:
  using Clock = std::chrono::steady_clock;
  double waited;
  Clock::time_point start;
};

} // namespace smp

#endif // SMP_TOOLS_DISTURBANCE_H
