// SPDX-License-Identifier: Apache-2.0
// Steps of a Session, and what they take.

#ifndef SMP_BENCH_PLANNING_STEPS_H
#define SMP_BENCH_PLANNING_STEPS_H

#include "smp/runtime/Session.h"
#include <string>
#include <vector>

namespace smp::bench {

/// Steps of the first entry. Those in which something else had the processor do
/// not count, unless there are hardly any others.
class Steps {
public:
  /// Makes so many that count, after one that does not.
  Status add(Session &session, uint32_t microbatches, uint32_t count);
  double median() const;
  /// How many count in which something else had the processor.
  uint32_t numDisturbed() const { return disturbed; }
  size_t count() const { return seconds.size(); }

private:
  std::vector<double> seconds;
  uint32_t disturbed = 0;
};

} // namespace smp::bench

#endif // SMP_BENCH_PLANNING_STEPS_H
