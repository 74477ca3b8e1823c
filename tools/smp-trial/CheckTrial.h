// SPDX-License-Identifier: Apache-2.0
// Which rules a trial meets.

#ifndef SMP_TOOLS_SMP_TRIAL_CHECKTRIAL_H
#define SMP_TOOLS_SMP_TRIAL_CHECKTRIAL_H

#include "smp/rules/InvokeRule.h"

namespace smp {

/// A rule that is met by a tensor: where for the first time, and at how many
/// steps.
struct CheckedFinding {
  Finding first;
  uint64_t steps = 1;
};

struct TrialCheck {
  size_t rules = 0, steps = 0;
  std::vector<CheckedFinding> findings; ///< In the order of their steps.
};

/// `rules` as RuleChoice::parse() takes them; none: defaultRules().
StatusOr<TrialCheck> checkTrial(const Trial &trial,
                                const std::vector<std::string> &rules);

} // namespace smp

#endif // SMP_TOOLS_SMP_TRIAL_CHECKTRIAL_H
