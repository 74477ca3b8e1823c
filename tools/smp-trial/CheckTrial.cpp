// SPDX-License-Identifier: Apache-2.0
#include "CheckTrial.h"
#include "smp/rules/BuiltInRules.h"

namespace smp {

static StatusOr<std::vector<RuleChoice>>
choicesOf(const std::vector<std::string> &rules) {
  if (rules.empty())
    return defaultRules();
  std::vector<RuleChoice> choices;
  for (const std::string &text : rules) {
    SMP_ASSIGN_OR_RETURN(RuleChoice choice, RuleChoice::parse(text));
    choices.push_back(std::move(choice));
  }
  return choices;
}

StatusOr<TrialCheck> checkTrial(const Trial &trial,
                                const std::vector<std::string> &rules) {
  SMP_ASSIGN_OR_RETURN(const auto choices, choicesOf(rules));
  std::vector<std::unique_ptr<Rule>> made;
  std::vector<Rule *> all;
  for (const RuleChoice &choice : choices) {
    SMP_ASSIGN_OR_RETURN(auto rule, makeRule(choice));
    all.push_back(rule.get());
    made.push_back(std::move(rule));
  }
  SMP_ASSIGN_OR_RETURN(const auto findings, invokeRules(trial, all));
  TrialCheck check{all.size(), trial.steps().size(), {}};
  for (const Finding &finding : findings) {
    const auto known =
        std::ranges::find_if(check.findings, [&](const CheckedFinding &each) {
          return each.first.rule == finding.rule &&
                 each.first.tensor == finding.tensor;
        });
    if (known == check.findings.end())
      check.findings.push_back({finding});
    else
      ++known->steps;
  }
  return check;
}

} // namespace smp
