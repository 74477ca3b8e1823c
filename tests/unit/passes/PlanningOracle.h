// SPDX-License-Identifier: Apache-2.0
// Answers to small partition problems by looking at all placements; shares
// nothing with the solvers but the question.

#ifndef SMP_TESTS_UNIT_PASSES_PLANNINGORACLE_H
#define SMP_TESTS_UNIT_PASSES_PLANNINGORACLE_H

#include "smp/passes/planning/PartitionProblem.h"
#include <random>

namespace smp::passes {

using PartitionList = std::vector<uint32_t>;

/// What is to be low, as the header of PartitionProblem says it.
double valueByHand(const PartitionProblem &problem, const PartitionList &of);
/// Whether each partition needs one stage only.
bool isContiguousByHand(const PartitionProblem &problem,
                        const PartitionList &of);

/// What counts beside ties and limits.
struct OracleRules {
  std::vector<PartitionProblem::Pin> pins;
  /// Items that only some partitions may have.
  std::vector<uint32_t> restricted;
  bool isContiguous = false;
};
/// Pins, allowed sets and contiguity of the problem.
OracleRules rulesOf(const PartitionProblem &problem);

/// The least value of all placements under the rules; nothing without one.
std::optional<double> leastByHand(const PartitionProblem &problem,
                                  const OracleRules &rules);

/// The fewest of the problem's pins that exclude every placement, or, where
/// there is none without pins, of its allowed sets.
size_t fewestByHand(const PartitionProblem &problem);

/// Up to `most` items on up to 3 partitions of up to 2 kinds, with whatever a
/// problem can have.
PartitionProblem randomQuestion(std::mt19937 &random, uint32_t most);

} // namespace smp::passes

#endif // SMP_TESTS_UNIT_PASSES_PLANNINGORACLE_H
