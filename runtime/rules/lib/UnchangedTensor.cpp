// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "RuleMakers.h"
#include "Texts.h"
#include <cmath>

namespace smp {

namespace {
/// A tensor stays what it was, within the bounds of np.allclose.
class UnchangedTensor : public ChosenTensorRule {
public:
  explicit UnchangedTensor(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Values, {"weights", "biases"}),
        relative(parameters.number("rtol", 1e-5, 0)),
        absolute(parameters.number("atol", 1e-8, 0)),
        equalNan(parameters.flag("equal_nan", false)),
        numSteps(size_t(parameters.integer("num_steps", 3, 2, 1000))) {}

  size_t earlierSteps() const override { return numSteps - 1; }

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    const auto steps = source.stepsOf(tensor.name);
    if (steps.size() < numSteps)
      return std::optional<std::string>();
    SMP_ASSIGN_OR_RETURN(const auto value, source.value(tensor.name));
    if (!value)
      return std::optional<std::string>();
    const std::vector<double> now = elementsOf(*value);
    for (size_t back = 1; back < numSteps; ++back) {
      SMP_ASSIGN_OR_RETURN(const auto before, source.value(tensor.name, back));
      if (!before || !isClose(now, elementsOf(*before)))
        return std::optional<std::string>();
    }
    return std::optional("none of its " + counted(now.size(), "element") +
                         " has changed in " + std::to_string(numSteps) +
                         " steps, since " + steps[numSteps - 1].text() +
                         ", by more than " + figure(absolute) + " + " +
                         figure(relative) + " of its size");
  }

  bool isClose(const std::vector<double> &now,
               const std::vector<double> &before) const {
    return std::equal(now.begin(), now.end(), before.begin(), before.end(),
                      [&](double a, double b) {
                        if (std::isnan(a) || std::isnan(b))
                          return equalNan && std::isnan(a) && std::isnan(b);
                        return a == b || std::abs(a - b) <=
                                             absolute + relative * std::abs(b);
                      });
  }

  const double relative, absolute;
  const bool equalNan;
  const size_t numSteps;
};
} // namespace

std::unique_ptr<Rule> makeUnchangedTensor(Parameters &parameters) {
  return std::make_unique<UnchangedTensor>(parameters);
}

} // namespace smp
