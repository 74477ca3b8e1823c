// SPDX-License-Identifier: Apache-2.0
// What makes each rule of its parameters, which it reads all; mistakes are in
// `parameters`.

#ifndef SMP_RULES_RULEMAKERS_H
#define SMP_RULES_RULEMAKERS_H

#include "BuiltInRule.h"

namespace smp {

std::unique_ptr<Rule> makeAllZero(Parameters &parameters);
std::unique_ptr<Rule> makeClassImbalance(Parameters &parameters);
std::unique_ptr<Rule> makeDeadRelu(Parameters &parameters);
std::unique_ptr<Rule> makeExplodingTensor(Parameters &parameters);
std::unique_ptr<Rule> makeLossNotDecreasing(Parameters &parameters);
std::unique_ptr<Rule> makeOverfit(Parameters &parameters);
std::unique_ptr<Rule> makeOvertraining(Parameters &parameters);
std::unique_ptr<Rule> makePoorWeightInitialization(Parameters &parameters);
std::unique_ptr<Rule> makeSaturatedActivation(Parameters &parameters);
std::unique_ptr<Rule> makeStalledTraining(Parameters &parameters);
std::unique_ptr<Rule> makeTensorVariance(Parameters &parameters);
std::unique_ptr<Rule> makeUnchangedTensor(Parameters &parameters);
std::unique_ptr<Rule> makeVanishingGradient(Parameters &parameters);
std::unique_ptr<Rule> makeWeightUpdateRatio(Parameters &parameters);

} // namespace smp

#endif // SMP_RULES_RULEMAKERS_H
