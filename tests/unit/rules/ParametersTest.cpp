// SPDX-License-Identifier: Apache-2.0
// Rules that there are not, and parameters that they have not.
#include "smp/rules/BuiltInRules.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace smp;

namespace {

std::string errorOf(const char *text) {
  const auto choice = RuleChoice::parse(text);
  if (!choice.ok())
    return choice.status().message();
  const auto rule = makeRule(*choice);
  return rule.ok() ? "" : rule.status().message();
}

TEST(RuleChoice, HasListsAndRegexes) {
  const auto choice = RuleChoice::parse(
      "UnchangedTensor,collection_names=weights,biases,num_steps=5,"
      "tensor_regex=a{1,2}");
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->name, "UnchangedTensor");
  EXPECT_EQ(choice->parameters,
            (RuleParameters{{"collection_names", "weights,biases"},
                            {"num_steps", "5"},
                            {"tensor_regex", "a{1,2}"}}));
}

TEST(MakeRule, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf("Vanishing"),
            "there is no rule 'Vanishing'; there are StalledTraining, "
            "ExplodingTensor, AllZero, VanishingGradient, DeadRelu, "
            "SaturatedActivation, WeightUpdateRatio, UnchangedTensor, "
            "TensorVariance, ClassImbalance, PoorWeightInitialization, "
            "Overfit, Overtraining, LossNotDecreasing");
  EXPECT_EQ(errorOf("VanishingGradient,treshold=1"),
            "VanishingGradient has no parameter 'treshold'; it has "
            "collection_names, tensor_regex, threshold");
  EXPECT_EQ(errorOf("VanishingGradient,1"),
            "the rule 'VanishingGradient,1' has '1' where NAME=VALUE belongs");
  EXPECT_EQ(errorOf("VanishingGradient,threshold=1,threshold=2"),
            "the rule 'VanishingGradient,threshold=1,threshold=2' has the "
            "parameter 'threshold' twice");
  EXPECT_EQ(errorOf("VanishingGradient,threshold=low"),
            "the parameter 'threshold' of VanishingGradient is 'low'; it must "
            "be a number");
  EXPECT_EQ(errorOf("VanishingGradient,threshold=-1"),
            "the parameter 'threshold' of VanishingGradient is '-1'; it must "
            "be a number of 0 or more");
  EXPECT_EQ(errorOf("VanishingGradient,threshold=inf"),
            "the parameter 'threshold' of VanishingGradient is 'inf'; it must "
            "be a number");
  EXPECT_EQ(errorOf("UnchangedTensor,num_steps=1"),
            "the parameter 'num_steps' of UnchangedTensor is '1'; it must be a "
            "whole number from 2 to 1000");
  EXPECT_EQ(errorOf("ExplodingTensor,only_nan=yes"),
            "the parameter 'only_nan' of ExplodingTensor is 'yes'; it must be "
            "true or false");
  EXPECT_EQ(errorOf("AllZero,collection_names=a,,b"),
            "the parameter 'collection_names' of AllZero is 'a,,b'; it must be "
            "names with commas between them");
  EXPECT_EQ(errorOf("AllZero,tensor_regex=a("),
            "the parameter 'tensor_regex' of AllZero: the regex 'a(' is "
            "malformed at byte 2: missing closing parenthesis");
  EXPECT_EQ(errorOf("TensorVariance"),
            "TensorVariance needs min_threshold or max_threshold");
  EXPECT_EQ(errorOf("LossNotDecreasing,use_losses_collection=false"),
            "LossNotDecreasing needs tensor_regex where use_losses_collection "
            "is false");
}

TEST(DefaultRules, AreAllThatNeedNothing) {
  const std::vector<RuleChoice> choices = defaultRules();
  for (const RuleChoice &choice : choices) {
    const auto rule = makeRule(choice);
    ASSERT_TRUE(rule.ok()) << rule.status().message();
    EXPECT_EQ((*rule)->name(), choice.name);
  }
  for (const std::string &name : ruleNames())
    EXPECT_EQ(std::ranges::count(choices, name, &RuleChoice::name),
              name == "TensorVariance"                         ? 0
              : name == "UnchangedTensor" || name == "AllZero" ? 2
                                                               : 1)
        << name;
}

} // namespace
