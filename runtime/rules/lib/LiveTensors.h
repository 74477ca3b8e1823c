// SPDX-License-Identifier: Apache-2.0
// The tensors of a run that goes on, for rules.

#ifndef SMP_RULES_LIVETENSORS_H
#define SMP_RULES_LIVETENSORS_H

#include "TensorHistory.h"
#include "smp/exec/StepObserver.h"
#include "smp/rules/Rule.h"

namespace smp {

/// A tensor that rules look at, and what is kept of it for later steps.
struct LiveTensor {
  RuleTensor tensor;
  RuleNeed need = RuleNeed::Nothing; ///< The most of all rules.
  bool keepsValue = false;           ///< A rule reads earlier ones.
};

/// Between enter() and leave() it borrows from the step.
class LiveTensors final : public RuleSource {
public:
  /// `tensors` by name; knows `depth` steps of each.
  LiveTensors(std::map<std::string, LiveTensor, std::less<>> tensors,
              size_t depth)
      : known(std::move(tensors)), history(depth) {}

  void enter(const CompletedStep &step, double seconds);
  void leave();
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
  StatusOr<RuleWaits> waits() override { return RuleWaits{.before = silence}; }

private:
  /// What there is of a tensor of a step.
  struct Seen {
    RuleStep step;
    std::optional<TensorStatistics> statistics = {};
    std::optional<RuleValue> value = {};
    std::vector<std::byte> kept = {};  // The value's, after the step.
    const ShownValue *shown = nullptr; // Its statistics, in the step.
  };
  Seen &seen(const LiveTensor &tensor);
  void addOutput(const OutputTensor &output);
  void addShown(const ShownValue &shown);

  const std::map<std::string, LiveTensor, std::less<>> known;
  TensorHistory<Seen> history;
  RuleStep current;
  std::optional<double> last; // When the last step was, in seconds.
  double silence = 0;
  std::vector<const RuleTensor *> ofStep;
  std::map<std::string_view, std::pair<const LiveTensor *, Seen *>> inStep;
};

} // namespace smp

#endif // SMP_RULES_LIVETENSORS_H
