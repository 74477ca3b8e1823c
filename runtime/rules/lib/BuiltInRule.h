// SPDX-License-Identifier: Apache-2.0
// What rules of our own have in common.

#ifndef SMP_RULES_BUILTINRULE_H
#define SMP_RULES_BUILTINRULE_H

#include "Parameters.h"

namespace smp {

/// Tensors that are in one of some collections, or whose name a regex finds.
class TensorChoice {
public:
  /// The parameters `collection_names` and `tensor_regex`. Where neither is
  /// said, those of `fallback`; without any, all tensors.
  TensorChoice(Parameters &parameters, std::vector<std::string> fallback);
  StatusOr<bool> has(const RuleTensor &tensor) const;

private:
  std::vector<std::string> collections;
  std::optional<Regex> regex;
};

class BuiltInRule : public Rule {
public:
  explicit BuiltInRule(const Parameters &parameters)
      : ownName(parameters.ruleName()) {}
  std::string_view name() const final { return ownName; }

private:
  std::string ownName;
};

/// A rule that judges each of its tensors for itself; it is met by the first
/// one.
class EachTensorRule : public BuiltInRule {
public:
  using BuiltInRule::BuiltInRule;
  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source,
           std::span<const RuleTensor *const> tensors) final;

protected:
  /// What is wrong with the tensor, as a sentence; none: nothing.
  virtual StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) = 0;
};

/// The same of tensors that a person can choose.
class ChosenTensorRule : public EachTensorRule {
public:
  ChosenTensorRule(Parameters &parameters, RuleNeed need,
                   std::vector<std::string> collections)
      : EachTensorRule(parameters), choice(parameters, std::move(collections)),
        need(need) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) final {
    SMP_ASSIGN_OR_RETURN(const bool isIn, choice.has(tensor));
    return isIn ? need : RuleNeed::Nothing;
  }

private:
  const TensorChoice choice;
  const RuleNeed need;
};

} // namespace smp

#endif // SMP_RULES_BUILTINRULE_H
