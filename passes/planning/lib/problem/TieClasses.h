// SPDX-License-Identifier: Apache-2.0
// Which items ties bind together, and what that means for pins.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_TIECLASSES_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_TIECLASSES_H

#include "smp/passes/planning/PartitionProblem.h"
#include <map>

namespace smp::passes {

class TieClasses {
public:
  explicit TieClasses(const PartitionProblem &problem);

  /// The number of what the item is bound to, directly or not.
  uint32_t of(uint32_t item) const { return numbers[item]; }
  /// Of what the item is bound to, itself included, those that not all
  /// partitions can have.
  const std::vector<uint32_t> &restricted(uint32_t item) const;

private:
  std::vector<uint32_t> numbers;                          ///< By item.
  std::map<uint32_t, std::vector<uint32_t>> restrictedOf; ///< By class.
};

/// "the memory limit", as messages say it: of one partition, or of each where
/// all have the same.
std::string limitText(const PartitionProblem &problem, uint32_t partition);
bool haveOneLimit(const PartitionProblem &problem);

/// Whether each of the pins by itself is possible, and no two put apart what
/// must be together.
std::optional<PartitionConflict>
checkPins(const PartitionProblem &problem,
          const std::vector<PartitionProblem::Pin> &pins);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_TIECLASSES_H
