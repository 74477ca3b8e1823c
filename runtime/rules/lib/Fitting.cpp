// SPDX-License-Identifier: Apache-2.0
// Rules that compare losses of training with those of validation.
#include "LossChoice.h"
#include "RuleMakers.h"
#include "Texts.h"
#include <cmath>

namespace smp {

namespace {

/// Looks at losses in training and in validation.
class FittingRule : public EachTensorRule {
public:
  explicit FittingRule(Parameters &parameters)
      : EachTensorRule(parameters), choice(parameters) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) final {
    return choice.needs(tensor);
  }
  bool looksAt(const RuleStep &step) const final {
    return step.mode == Mode::Train || step.mode == Mode::Eval;
  }

protected:
  virtual std::optional<std::string>
  judgeLoss(const std::string &tensor, double loss, bool isValidation) = 0;

private:
  StatusOr<std::optional<std::string>> judge(RuleSource &source,
                                             const RuleTensor &tensor) final {
    SMP_ASSIGN_OR_RETURN(const auto loss, lossOf(source, tensor));
    if (!loss)
      return std::optional<std::string>();
    return judgeLoss(tensor.name, *loss, source.step().mode == Mode::Eval);
  }

  const LossChoice choice;
};

struct Mean {
  double sum = 0;
  uint64_t count = 0;
  void add(double number) {
    sum += number;
    ++count;
  }
  double value() const { return sum / double(count); }
};

/// The validation loss is too far above that of training. Validation is what is
/// between two steps of training; the loss of training is that since the
/// validation before.
class Overfit : public FittingRule {
public:
  explicit Overfit(Parameters &parameters)
      : FittingRule(parameters), patience(parameters.count("patience", 1)),
        threshold(parameters.number("ratio_threshold", 0.1, 0)) {}

private:
  struct Round {
    Mean training, validation;
    uint64_t exceeded = 0; // Steps of validation, one after the other.
  };

  std::optional<std::string> judgeLoss(const std::string &tensor, double loss,
                                       bool isValidation) override {
    Round &round = rounds[tensor];
    if (!isValidation) {
      if (round.validation.count > 0)
        round.training = round.validation = {};
      round.training.add(loss);
      return std::nullopt;
    }
    if (round.training.count == 0)
      return std::nullopt;
    round.validation.add(loss);
    const double training = round.training.value(),
                 validation = round.validation.value(),
                 ratio = (validation - training) / std::abs(training);
    round.exceeded = ratio > threshold ? round.exceeded + 1 : 0;
    if (round.exceeded < patience)
      return std::nullopt;
    return "the mean of validation is " + figure(validation) + " and that of " +
           "training " + figure(training) + ": it is above by " +
           figure(ratio) + " of that, more than " + figure(threshold) +
           (patience > 1 ? ", for " + counted(round.exceeded, "step") : "");
  }

  const uint64_t patience;
  const double threshold;
  std::map<std::string, Round> rounds;
};

/// Neither loss gets any better.
class Overtraining : public FittingRule {
public:
  explicit Overtraining(Parameters &parameters)
      : FittingRule(parameters),
        patienceTrain(parameters.count("patience_train", 5)),
        patienceValidation(parameters.count("patience_validation", 10)),
        delta(parameters.number("delta", 0.01, 0)) {}

private:
  struct Best {
    double loss = std::numeric_limits<double>::infinity();
    uint64_t since = 0; // Steps.
    void add(double now, double delta) {
      const bool isBetter = now < loss - delta;
      loss = isBetter ? now : loss;
      since = isBetter ? 0 : since + 1;
    }
  };

  std::optional<std::string> judgeLoss(const std::string &tensor, double loss,
                                       bool isValidation) override {
    auto &[training, validation] = best[tensor];
    (isValidation ? validation : training).add(loss, delta);
    if (training.since < patienceTrain || validation.since < patienceValidation)
      return std::nullopt;
    return "for " + counted(training.since, "step") + " of training and " +
           std::to_string(validation.since) + " of validation no loss was " +
           "below the best before, " + figure(training.loss) + " and " +
           figure(validation.loss) + ", by " + figure(delta);
  }

  const uint64_t patienceTrain, patienceValidation;
  const double delta;
  std::map<std::string, std::pair<Best, Best>> best;
};

} // namespace

std::unique_ptr<Rule> makeOverfit(Parameters &parameters) {
  return std::make_unique<Overfit>(parameters);
}

std::unique_ptr<Rule> makeOvertraining(Parameters &parameters) {
  return std::make_unique<Overtraining>(parameters);
}

} // namespace smp
