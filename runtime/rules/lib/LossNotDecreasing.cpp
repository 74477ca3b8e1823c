// SPDX-License-Identifier: Apache-2.0
#include "LossChoice.h"
#include "RuleMakers.h"
#include "Texts.h"
#include <cmath>
#include <deque>

namespace smp {

namespace {

/// The losses of one tensor, of two windows of steps at most.
class Losses {
public:
  explicit Losses(uint64_t window) : window(window) {}

  void add(uint64_t step, double loss) {
    if (all.empty())
      judged = step;
    all.push_back({step, loss});
  }
  /// Whether it is time to compare again.
  bool isDue() const { return all.back().step >= judged + window; }
  /// Of the steps of the last window, and of the window that ends with the last
  /// step before it.
  std::pair<double, double> means() {
    judged = all.back().step;
    size_t middle = all.size();
    while (middle > 0 && all[middle - 1].step + window > judged)
      --middle;
    size_t first = middle;
    while (first > 0 && all[first - 1].step + window > all[middle - 1].step)
      --first;
    const std::pair means{mean(first, middle), mean(middle, all.size())};
    all.erase(all.begin(), all.begin() + ptrdiff_t(first));
    return means;
  }

private:
  struct Loss {
    uint64_t step;
    double loss;
  };
  double mean(size_t from, size_t to) const {
    double sum = 0;
    for (size_t i = from; i < to; ++i)
      sum += all[i].loss;
    return sum / double(to - from);
  }

  const uint64_t window;
  uint64_t judged = 0; // The last step that was, or the first one.
  std::deque<Loss> all;
};

/// The loss stays where it is, or rises too much.
class LossNotDecreasing : public EachTensorRule {
public:
  explicit LossNotDecreasing(Parameters &parameters)
      : EachTensorRule(parameters), choice(parameters),
        numSteps(parameters.count("num_steps", 10)),
        leastFall(parameters.number("diff_percent", 0.1, 0)),
        mostRise(parameters.number("increase_threshold_percent", 5, 0)) {}

  StatusOr<RuleNeed> needs(const RuleTensor &tensor) override {
    return choice.needs(tensor);
  }

private:
  StatusOr<std::optional<std::string>>
  judge(RuleSource &source, const RuleTensor &tensor) override {
    SMP_ASSIGN_OR_RETURN(const auto loss, lossOf(source, tensor));
    if (!loss)
      return std::optional<std::string>();
    Losses &losses = all.try_emplace(tensor.name, numSteps).first->second;
    losses.add(source.step().modeStep, *loss);
    if (!losses.isDue())
      return std::optional<std::string>();
    const auto [before, now] = losses.means();
    const double change = 100 * (now - before) / std::abs(before);
    if (std::abs(change) >= leastFall && change <= mostRise)
      return std::optional<std::string>();
    return std::optional(
        std::string("the loss ") + (change > 0 ? "rose" : "fell") + " by " +
        figure(std::abs(change)) + " %, from a mean of " + figure(before) +
        " to " + figure(now) + " in " + counted(numSteps, "step") +
        (change > mostRise
             ? "; at most " + figure(mostRise) + " % is allowed"
             : "; it is expected to fall by " + figure(leastFall) + " %"));
  }

  const LossChoice choice;
  const uint64_t numSteps;
  const double leastFall, mostRise; // Percents.
  std::map<std::string, Losses> all;
};
} // namespace

std::unique_ptr<Rule> makeLossNotDecreasing(Parameters &parameters) {
  return std::make_unique<LossNotDecreasing>(parameters);
}

} // namespace smp
