// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"

namespace smp {

namespace {
struct BuiltIn {
  std::string_view name;
  std::unique_ptr<Rule> (*make)(Parameters &);
};

constexpr BuiltIn kRules[] = {
    {"StalledTraining", makeStalledTraining},
    {"ExplodingTensor", makeExplodingTensor},
    {"AllZero", makeAllZero},
    {"VanishingGradient", makeVanishingGradient},
    {"DeadRelu", makeDeadRelu},
    {"SaturatedActivation", makeSaturatedActivation},
    {"WeightUpdateRatio", makeWeightUpdateRatio},
    {"UnchangedTensor", makeUnchangedTensor},
    {"TensorVariance", makeTensorVariance},
    {"ClassImbalance", makeClassImbalance},
    {"PoorWeightInitialization", makePoorWeightInitialization},
    {"Overfit", makeOverfit},
    {"Overtraining", makeOvertraining},
    {"LossNotDecreasing", makeLossNotDecreasing},
};
} // namespace

StatusOr<std::unique_ptr<Rule>> makeRule(const RuleChoice &choice) {
  const auto *found = std::ranges::find(kRules, choice.name, &BuiltIn::name);
  if (found == std::end(kRules))
    return invalidArgument("there is no rule " + quote(choice.name) +
                           "; there are " + join(ruleNames(), ", "));
  Parameters parameters(choice);
  auto rule = found->make(parameters);
  SMP_RETURN_IF_ERROR(parameters.status());
  return rule;
}

std::vector<std::string> ruleNames() {
  std::vector<std::string> names;
  for (const BuiltIn &rule : kRules)
    names.emplace_back(rule.name);
  return names;
}

std::vector<RuleChoice> defaultRules() {
  // Squares of gradients are below any bound that suits weights.
  const RuleParameters slots{{"collection_names", "optimizer_variables"},
                             {"rtol", "0"},
                             {"atol", "0"}};
  return {{"StalledTraining"},
          {"AllZero", {{"collection_names", "inputs"}}},
          {"ExplodingTensor"},
          {"DeadRelu"},
          {"SaturatedActivation"},
          {"AllZero", {{"collection_names", "gradients"}}},
          {"VanishingGradient"},
          {"WeightUpdateRatio"},
          {"UnchangedTensor"},
          {"UnchangedTensor", slots},
          {"ClassImbalance"},
          {"PoorWeightInitialization"},
          {"Overfit"},
          {"Overtraining"},
          {"LossNotDecreasing"}};
}

} // namespace smp
