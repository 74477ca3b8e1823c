// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {
/// Every element is 0.
class AllZero : public ChosenTensorRule {
public:
  explicit AllZero(Parameters &parameters)
      : ChosenTensorRule(parameters, RuleNeed::Numbers,
                         {"inputs", "gradients"}) {}

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    using Kind = TensorReduction::Kind;
    // Each says it; a folder may lack some.
    for (const Kind kind : {Kind::Max, Kind::Mean, Kind::L1, Kind::L2}) {
      const bool isNorm = kind == Kind::L1 || kind == Kind::L2;
      SMP_ASSIGN_OR_RETURN(const auto number,
                           source.number(tensor.name, {kind, !isNorm}));
      if (number)
        return *number == 0
                   ? std::optional<std::string>("all of its elements are 0")
                   : std::nullopt;
    }
    return std::optional<std::string>();
  }
};
} // namespace

std::unique_ptr<Rule> makeAllZero(Parameters &parameters) {
  return std::make_unique<AllZero>(parameters);
}

} // namespace smp
