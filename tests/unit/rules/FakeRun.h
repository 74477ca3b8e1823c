// SPDX-License-Identifier: Apache-2.0
// A run that a test makes up, for one rule.

#ifndef SMP_TESTS_UNIT_RULES_FAKERUN_H
#define SMP_TESTS_UNIT_RULES_FAKERUN_H

#include "Elements.h"
#include "RuleRun.h"
#include "TensorHistory.h"
#include "smp/model/Reduce.h"
#include "smp/rules/BuiltInRules.h"
#include <deque>
#include <gtest/gtest.h>

namespace smp::test {

struct FakeTensor {
  std::string name;
  std::vector<std::string> collections;
  std::vector<float> elements;
  Shape shape = {}; ///< Empty: of rank 1.
};

class FakeRun final : public RuleSource {
public:
  explicit FakeRun(const RuleChoice &choice) : history(1000) {
    auto made = makeRule(choice);
    EXPECT_TRUE(made.ok()) << made.status().message();
    rule = made.take();
    run.emplace(*rule, RuleRange{});
  }

  /// Makes a step, and evaluates the rule if it looks at it.
  std::optional<Finding> step(std::vector<FakeTensor> made,
                              Mode mode = Mode::Train) {
    current = {mode, numSteps[size_t(mode) - 1]++, total++};
    std::vector<RuleTensor> tensors;
    for (FakeTensor &tensor : made) {
      tensors.push_back({tensor.name, tensor.collections});
      if (tensor.shape.empty())
        tensor.shape = {int64_t(tensor.elements.size())};
      history.push(tensor.name, {current, tensor.shape, tensor.elements});
    }
    std::vector<const RuleTensor *> all;
    for (const RuleTensor &tensor : tensors)
      all.push_back(&tensor);
    if (!run->looksAt(current))
      return std::nullopt;
    auto finding = run->evaluate(*this, all);
    EXPECT_TRUE(finding.ok()) << finding.status().message();
    return finding.ok() ? *finding : std::nullopt;
  }
  /// A step of one loss.
  std::optional<Finding> loss(double value, Mode mode = Mode::Train) {
    return step({{"loss", {"losses"}, {float(value)}}}, mode);
  }

  const RuleStep &step() const override { return current; }
  std::vector<RuleStep> stepsOf(std::string_view tensor) const override {
    return history.stepsOf(tensor, current.mode);
  }
  StatusOr<std::optional<double>> number(std::string_view tensor,
                                         const TensorReduction &reduction,
                                         size_t back) override {
    const Item *item = history.find(tensor, current.mode, back);
    return item ? std::optional(reduce(reduction, DType::F32, bytesOf(*item)))
                : std::nullopt;
  }
  StatusOr<std::optional<RuleValue>> value(std::string_view tensor,
                                           size_t back) override {
    const Item *item = history.find(tensor, current.mode, back);
    return item ? std::optional(
                      RuleValue{{DType::F32, item->shape}, bytesOf(*item)})
                : std::nullopt;
  }
  StatusOr<std::optional<NumericFaults>>
  faults(std::string_view tensor) override {
    return faultsOf(**value(tensor, 0));
  }
  StatusOr<RuleWaits> waits() override { return silence; }

  RuleWaits silence;
  std::unique_ptr<Rule> rule;

private:
  struct Item {
    RuleStep step;
    Shape shape;
    std::vector<float> elements;
  };
  static std::span<const std::byte> bytesOf(const Item &item) {
    return std::as_bytes(std::span(item.elements));
  }

  TensorHistory<Item> history;
  std::optional<RuleRun> run;
  RuleStep current;
  std::array<uint64_t, kNumModes> numSteps = {};
  uint64_t total = 0;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_RULES_FAKERUN_H
