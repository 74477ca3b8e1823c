// SPDX-License-Identifier: Apache-2.0
// Which tensors are losses, and what they are at a step.

#ifndef SMP_RULES_LOSSCHOICE_H
#define SMP_RULES_LOSSCHOICE_H

#include "BuiltInRule.h"

namespace smp {

/// The parameters `use_losses_collection` and `tensor_regex`.
class LossChoice {
public:
  explicit LossChoice(Parameters &parameters)
      : usesCollection(parameters.flag("use_losses_collection", true)),
        regex(parameters.regex("tensor_regex")) {
    if (!usesCollection && !regex)
      parameters.fail(invalidArgument(parameters.ruleName() +
                                      " needs tensor_regex where "
                                      "use_losses_collection is false"));
  }

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) const {
    SMP_ASSIGN_OR_RETURN(const bool isLoss, has(tensor));
    return isLoss ? RuleNeed::Numbers : RuleNeed::Nothing;
  }
  StatusOr<bool> has(const RuleTensor &tensor) const {
    if (usesCollection && tensor.isIn("losses"))
      return true;
    if (!regex)
      return false;
    return regex->isIn(tensor.name);
  }

private:
  const bool usesCollection;
  const std::optional<Regex> regex;
};

/// A loss of many elements is their mean.
inline StatusOr<std::optional<double>> lossOf(RuleSource &source,
                                              const RuleTensor &tensor) {
  return source.number(tensor.name, {TensorReduction::Kind::Mean});
}

} // namespace smp

#endif // SMP_RULES_LOSSCHOICE_H
