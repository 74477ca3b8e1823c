// SPDX-License-Identifier: Apache-2.0
// Rules on a folder that a hook wrote. Since 0.1.
//
//   SMP_ASSIGN_OR_RETURN(const smp::Trial trial, smp::Trial::open("run-1"));
//   SMP_ASSIGN_OR_RETURN(const auto rule, smp::makeRule({"AllZero"}));
//   SMP_ASSIGN_OR_RETURN(const auto findings, smp::invokeRule(trial, *rule));

#ifndef SMP_RULES_INVOKERULE_H
#define SMP_RULES_INVOKERULE_H

#include "smp/rules/Rule.h"
#include "smp/trial/Trial.h"
#include <functional>

namespace smp {

/// Seconds since 1970.
using RuleClock = std::function<double()>;

/// Evaluates rules at all complete steps of the range, in order: what each is
/// met by, one for each step, in the order of steps and of `rules`. Steps
/// before the range count as earlier ones. Fails as Trial does, with the name
/// of the rule, and with InvalidArgument where a required tensor was never
/// saved. `clock`: how long a run that has not ended is silent; null: the
/// system's.
SMP_API StatusOr<std::vector<Finding>> invokeRules(const Trial &trial,
                                                   std::span<Rule *const> rules,
                                                   const RuleRange &range = {},
                                                   RuleClock clock = {});

/// The same of one rule.
SMP_API StatusOr<std::vector<Finding>>
invokeRule(const Trial &trial, Rule &rule, uint64_t startStep = 0,
           uint64_t endStep = UINT64_MAX);

} // namespace smp

#endif // SMP_RULES_INVOKERULE_H
