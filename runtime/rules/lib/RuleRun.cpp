// SPDX-License-Identifier: Apache-2.0
#include "RuleRun.h"

namespace smp {

RuleRun::RuleRun(Rule &rule, RuleRange range)
    : rule(rule), range(range), required(rule.requiredTensors()),
      unseen(required.begin(), required.end()) {}

/// What a step computes first comes first.
static size_t rankOf(const RuleTensor &tensor) {
  if (tensor.isIn("inputs"))
    return 0;
  if (tensor.isInAny({"weights", "biases"}))
    return 1;
  if (tensor.isIn("layers"))
    return 2;
  if (tensor.isIn("gradients"))
    return 4;
  return tensor.isIn("optimizer_variables") ? 5 : 3;
}

StatusOr<RuleNeed> RuleRun::needOf(const RuleTensor &tensor) {
  const auto found = known.find(tensor.name);
  if (found != known.end())
    return found->second;
  SMP_ASSIGN_OR_RETURN(const RuleNeed need, rule.needs(tensor));
  known.emplace(tensor.name, need);
  return need;
}

StatusOr<std::optional<Finding>>
RuleRun::evaluate(RuleSource &source,
                  std::span<const RuleTensor *const> tensors) {
  return tryEvaluate(source, tensors)
      .in(std::string(rule.name()) + " at " + source.step().text());
}

StatusOr<std::optional<Finding>>
RuleRun::tryEvaluate(RuleSource &source,
                     std::span<const RuleTensor *const> tensors) {
  own.clear();
  size_t numRequired = 0;
  for (const RuleTensor *tensor : tensors) {
    if (std::ranges::count(required, tensor->name) > 0) {
      ++numRequired;
      unseen.erase(tensor->name);
    }
    SMP_ASSIGN_OR_RETURN(const RuleNeed need, needOf(*tensor));
    if (need != RuleNeed::Nothing)
      byRank[rankOf(*tensor)].push_back(tensor);
  }
  for (auto &ranked : byRank) {
    own.insert(own.end(), ranked.begin(), ranked.end());
    ranked.clear();
  }
  if (own.empty() || numRequired < required.size())
    return std::optional<Finding>();
  ++count;
  SMP_ASSIGN_OR_RETURN(auto finding, rule.evaluate(source, own));
  if (finding) {
    finding->rule = rule.name();
    finding->step = source.step();
  }
  return finding;
}

} // namespace smp
