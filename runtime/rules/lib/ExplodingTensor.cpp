// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include <cmath>

namespace smp {

namespace {
/// A NaN, or an infinity. Models mask with negative infinities: where a layer
/// gives those alone, nothing is wrong.
class ExplodingTensor : public ChosenTensorRule {
public:
  explicit ExplodingTensor(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Numbers, {}),
        onlyNan(parameters.flag("only_nan", false)) {}

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(const auto faults, source.faults(tensor.name));
    if (!faults || (faults->nans == 0 && onlyNan))
      return std::optional<std::string>();
    if (faults->nans == 0 && tensor.isIn("layers")) {
      SMP_ASSIGN_OR_RETURN(
          const auto most,
          source.number(tensor.name, {TensorReduction::Kind::Max}));
      if (most && !(std::isinf(*most) && *most > 0))
        return std::optional<std::string>();
    }
    return std::optional(faults->text);
  }

  const bool onlyNan;
};
} // namespace

std::unique_ptr<Rule> makeExplodingTensor(Parameters &parameters) {
  return std::make_unique<ExplodingTensor>(parameters);
}

} // namespace smp
