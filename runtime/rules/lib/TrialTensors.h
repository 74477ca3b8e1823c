// SPDX-License-Identifier: Apache-2.0
// The tensors of a trial, for rules.

#ifndef SMP_RULES_TRIALTENSORS_H
#define SMP_RULES_TRIALTENSORS_H

#include "TensorHistory.h"
#include "smp/rules/InvokeRule.h"

namespace smp {

class TrialTensors final : public RuleSource {
public:
  /// Of a trial that outlives it; knows `depth` steps of each tensor.
  static StatusOr<TrialTensors> of(const Trial &trial, size_t depth,
                                   RuleClock clock);

  /// Goes on to a complete step, which is later than those before.
  Status enter(uint64_t globalStep);
  /// Those of the step.
  std::span<const RuleTensor *const> tensors() const { return ofStep; }

  const RuleStep &step() const override { return current; }
  std::vector<RuleStep> stepsOf(std::string_view tensor) const override;
  StatusOr<std::optional<double>> number(std::string_view tensor,
                                         const TensorReduction &reduction,
                                         size_t back) override;
  StatusOr<std::optional<RuleValue>> value(std::string_view tensor,
                                           size_t back) override;
  StatusOr<std::optional<NumericFaults>>
  faults(std::string_view tensor) override;
  StatusOr<RuleWaits> waits() override;

private:
  struct Step {
    RuleStep step;
  };
  TrialTensors(const Trial &trial, size_t depth, RuleClock clock)
      : trial(&trial), history(depth), clock(std::move(clock)) {}
  std::optional<TensorPlace> placeOf(std::string_view tensor,
                                     size_t back) const;
  /// When the step was written; none where it has no record.
  StatusOr<std::optional<double>> timeOf(uint64_t globalStep) const;
  StatusOr<std::optional<NumericFaults>>
  faultsOfNumbers(std::string_view tensor, const TensorPlace &place) const;

  const Trial *trial;
  TensorHistory<Step> history;
  RuleClock clock;
  std::map<std::string, RuleTensor, std::less<>> known; // By name.
  std::optional<uint64_t> last;     // The last complete step.
  std::optional<uint64_t> previous; // That entered before.
  RuleStep current;
  std::vector<const RuleTensor *> ofStep;
  SavedTensor read; // What value() gave last.
};

} // namespace smp

#endif // SMP_RULES_TRIALTENSORS_H
