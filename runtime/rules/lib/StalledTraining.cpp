// SPDX-License-Identifier: Apache-2.0
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {
/// No tensor came for long.
class StalledTraining : public BuiltInRule {
public:
  explicit StalledTraining(Parameters &parameters)
      : BuiltInRule(parameters),
        threshold(parameters.number("threshold", 1800, 0)) {}

  StatusOr<RuleNeed> needs(const RuleTensor &) override {
    return RuleNeed::Presence;
  }
  bool looksAt(const RuleStep &) const override { return true; }
  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source, std::span<const RuleTensor *const>) override {
    SMP_ASSIGN_OR_RETURN(const RuleWaits waits, source.waits());
    for (const auto &[seconds, when] : {std::pair(waits.before, "before it"),
                                        std::pair(waits.after, "since it")})
      if (seconds > threshold)
        return std::optional(Finding{
            .text = "no tensor came for " + figure(seconds) + " seconds " +
                    when + ", more than " + figure(threshold)});
    return std::optional<Finding>();
  }

private:
  const double threshold; // Seconds.
};
} // namespace

std::unique_ptr<Rule> makeStalledTraining(Parameters &parameters) {
  return std::make_unique<StalledTraining>(parameters);
}

} // namespace smp
