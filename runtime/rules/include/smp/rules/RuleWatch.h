// SPDX-License-Identifier: Apache-2.0
// Rules on a run that goes on. Since 0.1.
//
//   smp::RuleWatch watch;
//   watch.addToCollection("losses", "loss");
//   for (const smp::RuleChoice &choice : smp::defaultRules())
//     watch.add(smp::makeRule(choice).take(), {.action = smp::stopRun()});
//   watch.attach(session);

#ifndef SMP_RULES_RULEWATCH_H
#define SMP_RULES_RULEWATCH_H

#include "smp/base/Log.h"
#include "smp/rules/Rule.h"
#include <functional>

namespace smp {

class RuleObserver;
class Session;

/// What is done when a rule is met for the first time: after the step, on its
/// thread, before it returns. The Session is free: the action may save a
/// checkpoint, which all ranks then do, and read variables; it may make no
/// step. An error that it returns is that of the step, which was made all the
/// same; a later step may be made.
using RuleAction = std::function<Status(const Finding &)>;

/// Ends the run: the step returns FailedPrecondition with the finding.
SMP_API RuleAction stopRun();

struct WatchedRule {
  /// Null: the finding is logged as a warning.
  RuleAction action = {};
  RuleRange range = {};
};

/// What became of a rule.
struct RuleReport {
  std::string rule;
  std::optional<Finding> first = {}; ///< None: it was never met.
  uint64_t evaluated = 0;            ///< Steps.
  uint64_t met = 0;                  ///< Of these.
};

/// Evaluates rules after the steps of one Session, on what its program was
/// compiled to show (ModelOptions::capture, `smp-compile --capture`) and on the
/// outputs of its entries. Where numbers suffice for the rules that look at a
/// step, it shows statistics and not the values. A rule that fails is logged
/// once and not evaluated again; the run goes on.
///
/// On several ranks each attaches the same rules, in the same order, between
/// the same steps. Rank 0 evaluates them, on what all ranks show and by its
/// clock, and tells the others after each step that a rule looks at: all report
/// and do the same. A rule that fails is said on rank 0.
///
/// Of one thread at a time; it may be destroyed before the Session or after it.
class SMP_API RuleWatch {
public:
  /// `log` gets what is found and has no action, and rules that fail; empty:
  /// the Session's. `clock`: seconds since 1970; empty: the system's.
  explicit RuleWatch(LogSink log = {}, std::function<double()> clock = {});
  RuleWatch(RuleWatch &&) noexcept;
  RuleWatch &operator=(RuleWatch &&) noexcept;
  ~RuleWatch();

  /// Rules are evaluated in the order in which they were added. Fails for an
  /// interval of 0, and after attach().
  Status add(std::unique_ptr<Rule> rule, WatchedRule options = {});
  /// Values that the program shows are in "inputs", "weights", "biases",
  /// "gradients", "optimizer_variables" or "layers", outputs in "outputs".
  /// Fails after attach().
  Status addToCollection(std::string_view collection, std::string_view tensor);
  /// Evaluates from now on. Fails when a rule requires a tensor that the
  /// program neither gives nor shows, it has a Session already, or another rank
  /// attaches other rules or none.
  Status attach(Session &session);
  /// In the order of the rules.
  std::vector<RuleReport> report() const;

private:
  std::shared_ptr<RuleObserver> observer; // The Session refers to it weakly.
};

} // namespace smp

#endif // SMP_RULES_RULEWATCH_H
