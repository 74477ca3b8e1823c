// SPDX-License-Identifier: Apache-2.0
// A rule on its way through the steps of a run.

#ifndef SMP_RULES_RULERUN_H
#define SMP_RULES_RULERUN_H

#include "smp/rules/Rule.h"
#include <array>
#include <map>
#include <set>

namespace smp {

class RuleRun {
public:
  /// Borrows the rule.
  RuleRun(Rule &rule, RuleRange range);

  StatusOr<RuleNeed> needOf(const RuleTensor &tensor);
  bool looksAt(const RuleStep &step) const {
    return range.has(step) && rule.looksAt(step);
  }
  /// At a step that it looks at, of whose tensors all are given. An error has
  /// the rule's name.
  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source, std::span<const RuleTensor *const> tensors);

  /// Steps that had what it needs.
  uint64_t evaluated() const { return count; }
  /// Required tensors that no step had.
  const std::set<std::string> &missing() const { return unseen; }

  Rule &rule;
  const RuleRange range;

private:
  StatusOr<std::optional<Finding>>
  tryEvaluate(RuleSource &source, std::span<const RuleTensor *const> tensors);

  std::map<std::string, RuleNeed, std::less<>> known; // By name.
  const std::vector<std::string> required;
  std::set<std::string> unseen;
  // Of a step, used again: what it reads, in groups and all.
  std::array<std::vector<const RuleTensor *>, 6> byRank;
  std::vector<const RuleTensor *> own;
  uint64_t count = 0;
};

} // namespace smp

#endif // SMP_RULES_RULERUN_H
