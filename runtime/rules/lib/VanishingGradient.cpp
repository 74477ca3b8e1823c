// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {
/// Gradients are nearly 0.
class VanishingGradient : public ChosenTensorRule {
public:
  explicit VanishingGradient(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Numbers, {"gradients"}),
        threshold(parameters.number("threshold", 1e-7, 0)) {}

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(
        const auto mean,
        source.number(tensor.name, {TensorReduction::Kind::Mean,
                                    /*ofAbsolute=*/true}));
    if (!mean || !(*mean < threshold))
      return std::optional<std::string>();
    return std::optional("the mean of its absolute elements is " +
                         figure(*mean) + ", below " + figure(threshold));
  }

  const double threshold;
};
} // namespace

std::unique_ptr<Rule> makeVanishingGradient(Parameters &parameters) {
  return std::make_unique<VanishingGradient>(parameters);
}

} // namespace smp
