// SPDX-License-Identifier: Apache-2.0
// Rules on activations that do nothing any more.
#include "Elements.h"
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {

/// Of the units of a layer too many are active for too few of the values that
/// they are given.
class ActivityRule : public BuiltInRule {
public:
  explicit ActivityRule(Parameters &parameters)
      : BuiltInRule(parameters),
        leastActive(parameters.number("threshold_inactivity", 1, 0)),
        mostIdle(parameters.number("threshold_layer", 50, 0)),
        unitAxis(parameters.integer("unit_axis", -1, -8, -1)) {}

  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source,
           std::span<const RuleTensor *const> tensors) final {
    for (const RuleTensor *tensor : tensors) {
      SMP_ASSIGN_OR_RETURN(const auto value, source.value(tensor->name));
      if (!value || value->bytes.empty())
        continue;
      SMP_ASSIGN_OR_RETURN(const Bounds bounds, boundsOf(*tensor));
      const auto activity = activityOf(*value, unitAxis, [&](double element) {
        return bounds.least < element && element < bounds.most;
      });
      const size_t idle = countBelow(activity, leastActive / 100);
      const double part = 100 * double(idle) / double(activity.size());
      if (part > mostIdle)
        return std::optional(
            Finding{.tensor = tensor->name,
                    .text = std::to_string(idle) + " of " +
                            counted(activity.size(), "unit") + " (" +
                            figure(part) + " %, above " + figure(mostIdle) +
                            ") are between " + figure(bounds.least) + " and " +
                            figure(bounds.most) + " for less than " +
                            figure(leastActive) + " % of their values"});
    }
    return std::optional<Finding>();
  }

protected:
  struct Bounds {
    double least, most; // Between them a unit is active.
  };
  virtual StatusOr<Bounds> boundsOf(const RuleTensor &tensor) = 0;
  /// Of what no step computes.
  static bool isNoActivation(const RuleTensor &tensor) {
    return tensor.isInAny(
        {"weights", "biases", "gradients", "optimizer_variables", "losses"});
  }

private:
  const double leastActive, mostIdle; // Percents.
  const int64_t unitAxis;
};

class DeadRelu : public ActivityRule {
public:
  explicit DeadRelu(Parameters &parameters)
      : ActivityRule(parameters),
        regex(parameters.regex("tensor_regex", "[Rr]e[Ll][Uu]")) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    if (isNoActivation(tensor))
      return RuleNeed::Nothing;
    SMP_ASSIGN_OR_RETURN(const bool isIn, regex->isIn(tensor.name));
    return isIn ? RuleNeed::Values : RuleNeed::Nothing;
  }

private:
  StatusOr<Bounds> boundsOf(const RuleTensor &) override {
    return Bounds{0, std::numeric_limits<double>::infinity()};
  }

  const std::optional<Regex> regex;
};

class SaturatedActivation : public ActivityRule {
public:
  explicit SaturatedActivation(Parameters &parameters)
      : ActivityRule(parameters),
        tanhRegex(parameters.regex("tanh_regex", "tanh_input")),
        sigmoidRegex(parameters.regex("sigmoid_regex", "sigmoid_input")),
        tanh{bound(parameters, "threshold_tanh_min", -9.4999),
             bound(parameters, "threshold_tanh_max", 9.4999)},
        sigmoid{bound(parameters, "threshold_sigmoid_min", -23),
                bound(parameters, "threshold_sigmoid_max", 16.99999)} {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    if (isNoActivation(tensor))
      return RuleNeed::Nothing;
    SMP_ASSIGN_OR_RETURN(const bool isTanh, tanhRegex->isIn(tensor.name));
    SMP_ASSIGN_OR_RETURN(const bool isSigmoid, sigmoidRegex->isIn(tensor.name));
    return isTanh || isSigmoid ? RuleNeed::Values : RuleNeed::Nothing;
  }

private:
  static double bound(Parameters &parameters, const char *name,
                      double fallback) {
    return parameters.numberIfSaid(name).value_or(fallback);
  }

  StatusOr<Bounds> boundsOf(const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(const bool isTanh, tanhRegex->isIn(tensor.name));
    return isTanh ? tanh : sigmoid;
  }

  const std::optional<Regex> tanhRegex, sigmoidRegex;
  const Bounds tanh, sigmoid;
};

} // namespace

std::unique_ptr<Rule> makeDeadRelu(Parameters &parameters) {
  return std::make_unique<DeadRelu>(parameters);
}

std::unique_ptr<Rule> makeSaturatedActivation(Parameters &parameters) {
  return std::make_unique<SaturatedActivation>(parameters);
}

} // namespace smp
