// SPDX-License-Identifier: Apache-2.0
// Whether partitions need one stage each, as groups come and go.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_STAGEORDER_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_STAGEORDER_H

#include "Contraction.h"

namespace smp::passes {

/// Counts the tensors that go from partition to partition, between groups that
/// are placed.
class StageOrder {
public:
  explicit StageOrder(const Contraction &problem);

  /// Places the group. Returns whether still no partition sends what comes back
  /// to it. O(neighbours, and partitions^2 where a new way begins).
  bool add(uint32_t group, uint32_t partition);
  void remove(uint32_t group);

private:
  uint32_t &ways(uint32_t from, uint32_t to) {
    return counts[size_t(from) * problem.partitions.count + to];
  }
  bool reaches(uint32_t from, uint32_t to);
  void count(uint32_t group, int change);

  const Contraction &problem;
  std::vector<int32_t> placed;  ///< By group, or kFree.
  std::vector<uint32_t> counts; ///< By two partitions: tensors.
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_STAGEORDER_H
