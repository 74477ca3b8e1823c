// SPDX-License-Identifier: Apache-2.0
// Which sets of pins exclude every placement.

#ifndef SMP_PASSES_PLANNING_LIB_CONFLICTS_PINORACLE_H
#define SMP_PASSES_PLANNING_LIB_CONFLICTS_PINORACLE_H

#include "../problem/Contraction.h"
#include "smp/passes/planning/SmallestSet.h"

namespace smp::passes {

/// A problem without pins, to which some are given for a question.
class PinOracle {
public:
  /// What is looked at beside pins, ties and allowed sets.
  struct Rules {
    bool hasLimits = true, isContiguous = false;
  };
  PinOracle(const PartitionProblem &problem, Rules rules);

  /// Whether no placement keeps the pins and the rules.
  Verdict excludes(const std::vector<PartitionProblem::Pin> &pins);
  /// The same without pins, where all partitions may have all items but for
  /// these.
  Verdict excludes(const std::vector<uint32_t> &restricted);

  /// What is bound together; where stages are one each, by tensors too.
  const Contraction &getGroups() const { return groups; }

private:
  /// Of all questions together; without any, only what is obvious is answered.
  static constexpr uint64_t kStepsOfAll = 3'000'000;

  Verdict ask();
  uint32_t numberOf(const std::vector<bool> &set);

  const PartitionProblem &problem;
  Rules rules;
  Contraction groups;
  uint64_t stepsLeft = kStepsOfAll;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_CONFLICTS_PINORACLE_H
