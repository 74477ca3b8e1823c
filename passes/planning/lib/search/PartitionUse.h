// SPDX-License-Identifier: Apache-2.0
// Which of the partitions have got a run of an order.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_PARTITIONUSE_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_PARTITIONUSE_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// States of partitions without pins that are given runs one after another. Of
/// partitions that are alike only how many are used matters; if that still
/// leaves too many states, each is used or passed over in a fixed sequence.
/// State 0 is that none is used.
///
/// For two partitions that are alike and a third, the states are used x used:
/// 0x0 1x0 2x0 0x1 1x1 2x1, and 1x0 leads to 2x0 and to 1x1.
class PartitionUse {
public:
  /// A partition that may be next, as its class, and the state after that.
  struct Step {
    uint32_t partitionClass = 0, next = 0;
  };

  PartitionUse(const Contraction &problem, size_t mostStates);

  uint32_t numStates() const { return uint32_t(steps.size()); }
  const std::vector<Step> &stepsFrom(uint32_t state) const {
    return steps[state];
  }
  /// Whether a state can be left for the next one without a run.
  bool isSequence() const { return !sequence.empty(); }
  /// The partition that is used by a step.
  uint32_t partitionOf(uint32_t state, Step step) const;

private:
  void countByClass();
  void sequenceAll();

  std::vector<std::vector<uint32_t>> members; ///< By class: without pins.
  std::vector<uint32_t> strides;              ///< By class.
  std::vector<uint32_t> sequence;
  std::vector<std::vector<Step>> steps; ///< By state.
  const Partitions &partitions;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_PARTITIONUSE_H
