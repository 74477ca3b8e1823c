// SPDX-License-Identifier: Apache-2.0
// The rules of SageMaker Debugger that are about tensors of any model. What
// each looks for, and its parameters: docs/rationale/rules.md. Since 0.1.

#ifndef SMP_RULES_BUILTINRULES_H
#define SMP_RULES_BUILTINRULES_H

#include "smp/rules/Rule.h"
#include <map>

namespace smp {

/// As text, by name: {"threshold", "1e-7"}. Lists have commas.
using RuleParameters = std::map<std::string, std::string>;

/// A rule that has a name, and what is said of it.
struct RuleChoice {
  std::string name;
  RuleParameters parameters = {};

  /// Of "UnchangedTensor,num_steps=5,collection_names=weights,biases": what has
  /// no '=' goes on the value before it. Fails for what is no such text.
  SMP_API static StatusOr<RuleChoice> parse(std::string_view text);
};

/// Fails for a rule, a parameter or a value that there is not; says what there
/// is.
SMP_API StatusOr<std::unique_ptr<Rule>> makeRule(const RuleChoice &choice);

/// The names of all rules.
SMP_API std::vector<std::string> ruleNames();

/// Those that need nothing to be said, in the order in which they are best
/// evaluated: where several are met at a step, causes come before what follows
/// from them.
SMP_API std::vector<RuleChoice> defaultRules();

} // namespace smp

#endif // SMP_RULES_BUILTINRULES_H
