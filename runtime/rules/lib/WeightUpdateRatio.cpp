// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "RuleMakers.h"
#include "Texts.h"
#include <cmath>

namespace smp {

namespace {
/// Updates are too large or too small for their weights.
class WeightUpdateRatio : public ChosenTensorRule {
public:
  explicit WeightUpdateRatio(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Values, {"weights"}),
        large(parameters.number("large_threshold", 10, 0)),
        small(parameters.number("small_threshold", 1e-8, 0)),
        epsilon(parameters.number("epsilon", 1e-9, 0)),
        back(size_t(parameters.integer("num_steps", 1, 1, 1000))) {}

  size_t earlierSteps() const override { return back; }

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    const auto steps = source.stepsOf(tensor.name);
    if (steps.size() <= back)
      return std::optional<std::string>();
    SMP_ASSIGN_OR_RETURN(const auto value, source.value(tensor.name));
    if (!value)
      return std::optional<std::string>();
    const std::vector<double> now = elementsOf(*value);
    SMP_ASSIGN_OR_RETURN(const auto earlier, source.value(tensor.name, back));
    if (!earlier)
      return std::optional<std::string>();
    const std::vector<double> before = elementsOf(*earlier);
    if (now.size() != before.size() || now.empty())
      return std::optional<std::string>();
    double update = 0, weight = 0;
    for (size_t i = 0; i < now.size(); ++i) {
      update += std::abs(now[i] - before[i]);
      weight += std::abs(before[i]);
    }
    const double count = double(now.size());
    const double ratio = update / count / (weight / count + epsilon);
    const std::string is = "its update since " + steps[back].text() + " is " +
                           figure(ratio) + " of its size";
    if (ratio > large)
      return std::optional(is + ", above " + figure(large));
    if (ratio < small)
      return std::optional(is + ", below " + figure(small));
    return std::optional<std::string>();
  }

  const double large, small, epsilon;
  const size_t back;
};
} // namespace

std::unique_ptr<Rule> makeWeightUpdateRatio(Parameters &parameters) {
  return std::make_unique<WeightUpdateRatio>(parameters);
}

} // namespace smp
