// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "LossChoice.h"
#include "RuleMakers.h"
#include "Texts.h"
#include <cmath>

namespace smp {

namespace {

struct Extreme {
  std::string tensor, text;
};

/// The first steps do not learn, and what weights or gradients are says why.
class PoorWeightInitialization : public BuiltInRule {
public:
  explicit PoorWeightInitialization(Parameters &parameters)
      : BuiltInRule(parameters), losses(parameters),
        mostRatio(parameters.number("threshold", 10, 1)),
        leastRange(parameters.number("distribution_range", 0.001, 0)),
        patience(parameters.count("patience", 5)),
        numSteps(parameters.count("steps", 10)) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    if (tensor.isIn("gradients"))
      return RuleNeed::Values;
    return tensor.isIn("weights") ? RuleNeed::Numbers : losses.needs(tensor);
  }
  bool looksAt(const RuleStep &step) const override {
    return Rule::looksAt(step) && step.modeStep < numSteps;
  }

  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source,
           std::span<const RuleTensor *const> tensors) override {
    if (!hasLooked)
      SMP_RETURN_IF_ERROR(lookAtWeights(source, tensors));
    bool isLower = false;
    for (const RuleTensor *tensor : tensors) {
      SMP_ASSIGN_OR_RETURN(const bool isLoss, losses.has(*tensor));
      if (!isLoss)
        continue;
      SMP_ASSIGN_OR_RETURN(const auto loss, lossOf(source, *tensor));
      double &least = best.try_emplace(tensor->name, INFINITY).first->second;
      if (loss && *loss < least) {
        least = *loss;
        isLower = true;
      }
    }
    since = isLower ? 0 : since + 1;
    if (best.empty() || since < patience)
      return std::optional<Finding>();
    std::optional<Extreme> cause = weights;
    if (!cause) {
      SMP_ASSIGN_OR_RETURN(cause, narrowGradient(source, tensors));
    }
    if (!cause)
      return std::optional<Finding>();
    return std::optional(Finding{.tensor = cause->tensor,
                                 .text = "no loss has fallen for " +
                                         counted(since, "step") + ", and " +
                                         cause->text});
  }

private:
  /// As they begin. Those that are all the same, as scales, are left out.
  Status lookAtWeights(RuleSource &source,
                       std::span<const RuleTensor *const> tensors) {
    std::vector<std::pair<double, std::string>> variances;
    for (const RuleTensor *tensor : tensors) {
      if (!tensor->isIn("weights"))
        continue;
      hasLooked = true;
      SMP_ASSIGN_OR_RETURN(
          const auto variance,
          source.number(tensor->name, {TensorReduction::Kind::Variance}));
      if (variance && *variance > 0)
        variances.emplace_back(*variance, tensor->name);
    }
    if (variances.size() < 2)
      return Status();
    std::ranges::sort(variances);
    const auto &[least, narrow] = variances.front();
    const auto &[most, wide] = variances.back();
    if (!(most / least > mostRatio))
      return Status();
    const double middle = variances[(variances.size() - 1) / 2].first;
    weights = {most / middle > middle / least ? wide : narrow,
               "the variance of " + wide + ", " + figure(most) + ", is " +
                   figure(most / least) + " times that of " + narrow +
                   ", more than " + figure(mostRatio)};
    return Status();
  }

  StatusOr<std::optional<Extreme>>
  narrowGradient(RuleSource &source,
                 std::span<const RuleTensor *const> tensors) const {
    for (const RuleTensor *tensor : tensors) {
      if (!tensor->isIn("gradients"))
        continue;
      SMP_ASSIGN_OR_RETURN(const auto value, source.value(tensor->name));
      if (!value || value->bytes.empty())
        continue;
      std::vector<double> elements = elementsOf(*value);
      std::ranges::sort(elements);
      const auto at = [&](double part) {
        return elements[size_t(
            std::lround(part * double(elements.size() - 1)))];
      };
      const double range = at(0.95) - at(0.05);
      if (range < leastRange)
        return std::optional(
            Extreme{tensor->name,
                    "nine tenths of its elements are within " + figure(range) +
                        " of each other, less than " + figure(leastRange)});
    }
    return std::optional<Extreme>();
  }

  const LossChoice losses;
  const double mostRatio, leastRange;
  const uint64_t patience, numSteps;
  std::optional<Extreme> weights; // What is wrong with them.
  bool hasLooked = false;         // At the weights.
  std::map<std::string, double> best;
  uint64_t since = 0; // Steps without a lower loss.
};
} // namespace

std::unique_ptr<Rule> makePoorWeightInitialization(Parameters &parameters) {
  return std::make_unique<PoorWeightInitialization>(parameters);
}

} // namespace smp
