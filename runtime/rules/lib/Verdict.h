// SPDX-License-Identifier: Apache-2.0
// What came of the rules of a step, as ranks tell each other.

#ifndef SMP_RULES_VERDICT_H
#define SMP_RULES_VERDICT_H

#include "smp/rules/Rule.h"

namespace smp {

/// That a rule was evaluated, and what it found. The name of the rule and the
/// step are known to who hears it, and are not told.
struct Verdict {
  size_t rule = 0; ///< Its place among the rules.
  std::optional<Finding> finding = {};
};

std::string encode(std::span<const Verdict> verdicts);
/// Fails for what encode() did not make of verdicts of so many rules.
StatusOr<std::vector<Verdict>> decodeVerdicts(std::string_view text,
                                              size_t numRules);

} // namespace smp

#endif // SMP_RULES_VERDICT_H
