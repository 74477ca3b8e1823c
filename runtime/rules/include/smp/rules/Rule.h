// SPDX-License-Identifier: Apache-2.0
// What is looked for in a run. Since 0.1.

#ifndef SMP_RULES_RULE_H
#define SMP_RULES_RULE_H

#include "smp/rules/RuleSource.h"
#include <memory>

namespace smp {

/// How much a rule reads of a tensor. Each has what those before it have.
enum class RuleNeed : uint8_t {
  Nothing,
  Presence, ///< That it is there.
  Numbers,  ///< What follows from TensorStatistics, and faults.
  Values,
};

/// That a rule is met.
struct Finding {
  std::string rule = {};
  std::string tensor = {}; ///< Empty: the run as a whole.
  RuleStep step = {};
  std::string text = {}; ///< A sentence with the figures.

  /// "VanishingGradient is met at step 7 of TRAIN by 'gradient/w': ...".
  SMP_API std::string message() const;
};

/// Something to look for, step by step, in order. It knows nothing of where the
/// tensors come from. It has no function outside of this header, so that an
/// application may derive from it whatever its flags are. May not throw.
class SMP_API Rule {
public:
  virtual ~Rule() = default;

  virtual std::string_view name() const = 0;
  /// What it reads of a tensor; asked once for each. Only such tensors are
  /// given to evaluate().
  virtual StatusOr<RuleNeed> needs(const RuleTensor &tensor) = 0;
  /// Steps that have none of these are not evaluated, and a run in which one
  /// never comes is an error.
  virtual std::vector<std::string> requiredTensors() const { return {}; }
  /// How many steps before this one it reads of a tensor.
  virtual size_t earlierSteps() const { return 0; }
  /// Whether it looks at such a step; else neither are its tensors shown for
  /// it.
  virtual bool looksAt(const RuleStep &step) const {
    return step.mode == Mode::Train || step.mode == Mode::Global;
  }
  /// Whether it is met at the step, which has at least one of its tensors.
  /// `tensors` are inputs, then parameters, layers, outputs, gradients and
  /// variables of the optimizer, each in the order of the program, or as they
  /// were saved. The caller sets rule and step of what is found.
  virtual StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source, std::span<const RuleTensor *const> tensors) = 0;
};

/// The steps that a rule is evaluated at.
struct RuleRange {
  uint64_t startStep = 0, endStep = UINT64_MAX; ///< Of all, without the end.
  uint64_t interval = 1; ///< Multiples of it among the steps of a mode.

  bool has(const RuleStep &step) const {
    return startStep <= step.globalStep && step.globalStep < endStep &&
           step.modeStep % interval == 0;
  }
};

} // namespace smp

#endif // SMP_RULES_RULE_H
