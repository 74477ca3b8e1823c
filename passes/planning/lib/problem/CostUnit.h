// SPDX-License-Identifier: Apache-2.0
// Costs as whole numbers.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_COSTUNIT_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_COSTUNIT_H

#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// What costs of a problem are counted in: a power of two, so small that most
/// costs are whole numbers of it, and so large that no sum of costs overflows.
/// Each cost is rounded down by itself: a load is at least as long as the sum
/// of the whole numbers says, which is what bounds rest on, and longer by less
/// than a unit per cost.
class CostUnit {
public:
  /// All costs of the problem together are below 2^kBits units.
  static constexpr int kBits = 60;
  explicit CostUnit(const PartitionProblem &problem);

  /// In units, of a time.
  int64_t ofSeconds(double seconds) const { return floor(seconds * perSecond); }
  /// In units, of an item's resident bytes.
  int64_t ofBytes(int64_t bytes) const {
    return floor(double(bytes) * perByte);
  }
  /// A load of so many units, or a little less.
  double toCost(int64_t units) const;

private:
  int64_t floor(double cost) const;

  int exponent = 0; ///< The unit is two to this.
  double perSecond, perByte;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_COSTUNIT_H
