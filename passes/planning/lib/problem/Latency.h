// SPDX-License-Identifier: Apache-2.0
// One request that is alone.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_LATENCY_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_LATENCY_H

#include "CostUnit.h"

namespace smp::passes {

/// The partitions that the tensor is sent to, ascending.
std::vector<uint32_t> receiversOf(const PartitionProblem::Tensor &tensor,
                                  const std::vector<uint32_t> &partitionOf);

/// Simulates one request: how long it is until all of its items have run.
/// O(items + ends of tensors) each.
///
/// Each partition does one thing at a time: an item, what sends a result, what
/// receives one. Results are sent when they are made, and received when an item
/// is next that takes them. For a chain a -> b of one second each, with
/// transfers that keep both ends busy for 0.1 s and are under way for 0.5 s:
///
///     both on partition 0    a 0..1, b 1..2: 2 s
///     b on partition 1       a 0..1, sent 1..1.1, arrives at 1.6,
///                            received until 1.7, b 1.7..2.7: 2.7 s
class LatencySimulator {
public:
  explicit LatencySimulator(const PartitionProblem &problem);

  double seconds(const std::vector<uint32_t> &partitionOf) const;
  /// In whole numbers; no more than the seconds are.
  int64_t units(const std::vector<uint32_t> &partitionOf) const;

private:
  template <typename Time, typename ToTime>
  Time simulate(const std::vector<uint32_t> &partitionOf, ToTime toTime) const;

  const PartitionProblem &problem;
  const CostUnit unit;
  std::vector<std::vector<uint32_t>> made, taken; ///< By item: tensors.
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_LATENCY_H
