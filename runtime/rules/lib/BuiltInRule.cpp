// SPDX-License-Identifier: Apache-2.0
#include "BuiltInRule.h"

namespace smp {

TensorChoice::TensorChoice(Parameters &parameters,
                           std::vector<std::string> fallback)
    : collections(parameters.list("collection_names", {})),
      regex(parameters.regex("tensor_regex")) {
  if (collections.empty() && !regex)
    collections = std::move(fallback);
}

StatusOr<bool> TensorChoice::has(const RuleTensor &tensor) const {
  if (collections.empty() && !regex)
    return true;
  for (const std::string &collection : collections)
    if (tensor.isIn(collection))
      return true;
  if (!regex)
    return false;
  return regex->isIn(tensor.name);
}

StatusOr<std::optional<Finding>>
EachTensorRule::evaluate(RuleSource &source,
                         std::span<const RuleTensor *const> tensors) {
  for (const RuleTensor *tensor : tensors) {
    SMP_ASSIGN_OR_RETURN(auto text, judge(source, *tensor));
    if (text)
      return std::optional(
          Finding{.tensor = tensor->name, .text = std::move(*text)});
  }
  return std::optional<Finding>();
}

} // namespace smp
