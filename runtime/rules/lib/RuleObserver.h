// SPDX-License-Identifier: Apache-2.0
// What a RuleWatch is made of.

#ifndef SMP_RULES_RULEOBSERVER_H
#define SMP_RULES_RULEOBSERVER_H

#include "LiveTensors.h"
#include "RuleRun.h"
#include "smp/rules/RuleWatch.h"

namespace smp {

class RuleObserver final : public StepObserver {
public:
  RuleObserver(LogSink log, std::function<double()> clock);

  Status add(std::unique_ptr<Rule> rule, WatchedRule options);
  Status addToCollection(std::string_view collection, std::string_view tensor);
  /// `sessionLog` is where it logs if it was given no log.
  Status prepare(const std::vector<EntrySignature> &entries,
                 LogSink sessionLog);
  std::vector<RuleReport> report() const;

  StepView wants(const UpcomingStep &step) override;
  Status onStep(const CompletedStep &step) override;

private:
  struct Watched {
    std::unique_ptr<Rule> rule;
    RuleAction action;
    RuleRun run;
    RuleReport report = {};
    /// What it needs to be shown of the entries, by their names.
    std::map<std::string, StepView, std::less<>> views = {};
    bool isOff = false; // It failed.
  };
  using Tensors = std::map<std::string, LiveTensor, std::less<>>;

  StatusOr<Tensors> tensorsOf(const std::vector<EntrySignature> &entries) const;
  Status prepare(Watched &watched, const std::vector<EntrySignature> &entries,
                 Tensors &known) const;
  Status checkOpen() const;
  Status evaluate(Watched &watched);
  void say(LogLevel level, const std::string &text) const;

  const LogSink log;
  LogSink sessionLog;
  const std::function<double()> clock;
  std::map<std::string, std::vector<std::string>, std::less<>>
      added; // Collections by tensor.
  std::vector<Watched> rules;
  std::optional<LiveTensors> source; // Once it is attached.
};

} // namespace smp

#endif // SMP_RULES_RULEOBSERVER_H
