// SPDX-License-Identifier: Apache-2.0
#include "smp/rules/InvokeRule.h"
#include "Clock.h"
#include "RuleRun.h"
#include "TrialTensors.h"
#include "smp/base/Lists.h"

namespace smp {

StatusOr<std::vector<Finding>> invokeRules(const Trial &trial,
                                           std::span<Rule *const> rules,
                                           const RuleRange &range,
                                           RuleClock clock) {
  if (range.interval == 0)
    return invalidArgument("the interval of rules is 0; it must be 1 or more");
  std::vector<RuleRun> runs;
  size_t depth = 1;
  for (Rule *rule : rules) {
    runs.emplace_back(*rule, range);
    depth = std::max(depth, rule->earlierSteps() + 1);
  }
  SMP_ASSIGN_OR_RETURN(
      TrialTensors source,
      TrialTensors::of(trial, depth, clock ? std::move(clock) : systemSeconds));
  std::vector<Finding> findings;
  for (const uint64_t step : trial.steps()) {
    SMP_RETURN_IF_ERROR(source.enter(step));
    for (RuleRun &run : runs) {
      if (!run.looksAt(source.step()))
        continue;
      SMP_ASSIGN_OR_RETURN(auto finding,
                           run.evaluate(source, source.tensors()));
      if (finding)
        findings.push_back(std::move(*finding));
    }
  }
  for (const RuleRun &run : runs)
    if (!run.missing().empty())
      return invalidArgument(std::string(run.rule.name()) + " requires " +
                             listNames(run.missing()) +
                             ", which no step that it looked at has");
  return findings;
}

StatusOr<std::vector<Finding>> invokeRule(const Trial &trial, Rule &rule,
                                          uint64_t startStep,
                                          uint64_t endStep) {
  Rule *const rules[] = {&rule};
  return invokeRules(trial, rules, {startStep, endStep});
}

} // namespace smp
