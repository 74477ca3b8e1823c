// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "RuleMakers.h"
#include "Texts.h"

namespace smp {

namespace {

/// What was seen of a class.
struct ClassCounts {
  uint64_t samples = 0, wrong = 0;
};

/// Classes come too unevenly, or a rare one is mostly taken for another.
class ClassImbalance : public BuiltInRule {
public:
  explicit ClassImbalance(Parameters &parameters)
      : BuiltInRule(parameters),
        mostImbalance(parameters.number("threshold_imbalance", 10, 1)),
        mostWrong(parameters.number("threshold_misprediction", 0.7, 0)),
        samples(parameters.count("samples", 500)),
        labelsRegex(parameters.regex("labels_regex")),
        predictionsRegex(parameters.regex("predictions_regex")) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(const bool isIn, isLabels(tensor));
    SMP_ASSIGN_OR_RETURN(const bool isOther, isPredictions(tensor));
    return isIn || isOther ? RuleNeed::Values : RuleNeed::Nothing;
  }

  StatusOr<std::optional<Finding>>
  evaluate(RuleSource &source,
           std::span<const RuleTensor *const> tensors) override {
    const RuleTensor *labels = nullptr, *predictions = nullptr;
    for (const RuleTensor *tensor : tensors) {
      SMP_ASSIGN_OR_RETURN(const bool isIn, isLabels(*tensor));
      (isIn ? labels : predictions) = tensor;
    }
    if (!labels)
      return std::optional<Finding>();
    SMP_ASSIGN_OR_RETURN(const auto value, source.value(labels->name));
    if (!value)
      return std::optional<Finding>();
    const std::vector<double> given = elementsOf(*value);
    std::vector<double> scores;
    if (predictions) {
      SMP_ASSIGN_OR_RETURN(const auto predicted,
                           source.value(predictions->name));
      if (predicted)
        scores = elementsOf(*predicted);
    }
    count(given, scores);
    if (seen < samples)
      return std::optional<Finding>();
    auto text = judge();
    if (!text)
      return std::optional<Finding>();
    return std::optional(
        Finding{.tensor = labels->name, .text = std::move(*text)});
  }

private:
  static StatusOr<bool> isNamed(const RuleTensor &tensor,
                                const std::optional<Regex> &regex,
                                std::string_view collection) {
    if (!regex)
      return tensor.isIn(collection);
    return regex->isIn(tensor.name);
  }
  StatusOr<bool> isLabels(const RuleTensor &tensor) const {
    return isNamed(tensor, labelsRegex, "labels");
  }
  StatusOr<bool> isPredictions(const RuleTensor &tensor) const {
    return isNamed(tensor, predictionsRegex, "predictions");
  }

  /// Scores of each class for each label; else none are compared.
  void count(const std::vector<double> &labels,
             const std::vector<double> &scores) {
    const bool hasScores = !labels.empty() && !scores.empty() &&
                           scores.size() % labels.size() == 0;
    const size_t numScores = hasScores ? scores.size() / labels.size() : 0;
    if (numScores > classes.size())
      classes.resize(numScores);
    areAllKnown |= hasScores;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (!(labels[i] >= 0 && labels[i] < kMostClasses))
        continue; // As -100, which losses leave out.
      const size_t label = size_t(labels[i]);
      if (label >= classes.size())
        classes.resize(label + 1);
      ++seen;
      ++classes[label].samples;
      const auto first = scores.begin() + ptrdiff_t(i * numScores);
      if (hasScores)
        classes[label].wrong +=
            size_t(std::max_element(first, first + ptrdiff_t(numScores)) -
                   first) != label;
    }
  }

  std::optional<std::string> judge() const {
    const ClassCounts *least = nullptr, *most = nullptr;
    for (const ClassCounts &each : classes) {
      if (each.samples == 0 && !areAllKnown)
        continue; // Perhaps there is no such class.
      least = !least || each.samples < least->samples ? &each : least;
      most = !most || each.samples > most->samples ? &each : most;
    }
    const auto named = [&](const ClassCounts *each) {
      return "class " + std::to_string(each - classes.data());
    };
    if (double(most->samples) > mostImbalance * double(least->samples))
      return named(most) + " has " + std::to_string(most->samples) + " of " +
             counted(seen, "sample") + " and " + named(least) + " " +
             std::to_string(least->samples) + ": more than " +
             figure(mostImbalance) + " times as many";
    for (const ClassCounts &each : classes)
      if (each.samples * classes.size() * 2 < seen &&
          double(each.wrong) > mostWrong * double(each.samples))
        return named(&each) + " has " + std::to_string(each.samples) + " of " +
               counted(seen, "sample") + ", and " + std::to_string(each.wrong) +
               " are taken for another one: more than " + figure(mostWrong) +
               " of them";
    return std::nullopt;
  }

  static constexpr double kMostClasses = 1 << 24;
  const double mostImbalance, mostWrong;
  const uint64_t samples;
  const std::optional<Regex> labelsRegex, predictionsRegex;
  std::vector<ClassCounts> classes; // By number.
  bool areAllKnown = false;         // Scores say how many there are.
  uint64_t seen = 0;
};
} // namespace

std::unique_ptr<Rule> makeClassImbalance(Parameters &parameters) {
  return std::make_unique<ClassImbalance>(parameters);
}

} // namespace smp
