// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {
/// The variance of all elements is out of what was said.
class TensorVariance : public ChosenTensorRule {
public:
  explicit TensorVariance(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Numbers, {}),
        least(parameters.numberIfSaid("min_threshold")),
        most(parameters.numberIfSaid("max_threshold")) {
    if (!least && !most)
      parameters.fail(invalidArgument(
          "TensorVariance needs min_threshold or max_threshold"));
  }

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(
        const auto variance,
        source.number(tensor.name, {TensorReduction::Kind::Variance}));
    if (!variance)
      return std::optional<std::string>();
    const std::string is = "its variance is " + figure(*variance);
    if (least && *variance < *least)
      return std::optional(is + ", below " + figure(*least));
    if (most && *variance > *most)
      return std::optional(is + ", above " + figure(*most));
    return std::optional<std::string>();
  }

  const std::optional<double> least, most;
};
} // namespace

std::unique_ptr<Rule> makeTensorVariance(Parameters &parameters) {
  return std::make_unique<TensorVariance>(parameters);
}

} // namespace smp
