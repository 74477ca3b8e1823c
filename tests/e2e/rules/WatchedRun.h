// SPDX-License-Identifier: Apache-2.0
// A training that all rules watch.

#ifndef SMP_TESTS_E2E_RULES_WATCHEDRUN_H
#define SMP_TESTS_E2E_RULES_WATCHEDRUN_H

#include "smp/compile/CompileModel.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/RuleWatch.h"
#include "smp/runtime/Session.h"

namespace smp::test {

/// Every rule: the default ones, with windows for losses that are longer than
/// their noise, and a variance that no healthy tensor has.
std::vector<RuleChoice> everyRule();

class WatchedRun {
public:
  /// Compiles the model so that all of it can be watched, by the rules. The
  /// loss is the output `loss`; where there are `classes` and `scores`, they
  /// are labels and predictions.
  explicit WatchedRun(StatusOr<Model> model, int64_t partitions = 1);

  /// False when the step failed or a rule stopped it.
  bool step(std::string_view entry, std::span<const InputTensor> inputs);
  /// In the order in which rules were met.
  const std::vector<Finding> &findings() const { return *found; }
  /// The first; empty: none.
  std::string first() const {
    return found->empty() ? "" : found->front().message();
  }
  std::vector<RuleReport> report() const { return watch.report(); }
  Session &watched() { return *session; }
  /// Of the last step.
  double loss() const { return lastLoss; }

private:
  compile::CompiledModel compiled;
  std::optional<Session> session;
  std::unique_ptr<std::vector<Finding>> found;
  RuleWatch watch;
  double lastLoss = 0;
};

} // namespace smp::test

#endif // SMP_TESTS_E2E_RULES_WATCHEDRUN_H
