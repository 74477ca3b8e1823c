// SPDX-License-Identifier: Apache-2.0
// What a RuleWatch is made of.

#ifndef SMP_RULES_RULEOBSERVER_H
#define SMP_RULES_RULEOBSERVER_H

#include "LiveTensors.h"
#include "RuleRun.h"
#include "Verdict.h"
#include "smp/device/RankGroup.h"
#include "smp/rules/RuleWatch.h"

namespace smp {

/// How the ranks that watch one run talk of it.
struct RuleLane {
  Communicator *lane = nullptr; ///< Borrowed while steps are made; null: alone.
  double deadlineSeconds = 0;

  bool isFirst() const { return !lane || lane->rank() == 0; }
  /// Of a step, by its call; 0: before all.
  RankGroup meet(uint64_t call) const {
    return {lane, call + 1, deadlineSeconds};
  }
};

/// Rank 0 evaluates the rules, of what all ranks show, and tells the others.
class RuleObserver final : public StepObserver {
public:
  RuleObserver(LogSink log, std::function<double()> clock);

  Status add(std::unique_ptr<Rule> rule, WatchedRule options);
  Status addToCollection(std::string_view collection, std::string_view tensor);
  /// `sessionLog` is where it logs if it was given no log.
  Status prepare(const std::vector<EntrySignature> &entries, LogSink sessionLog,
                 const RuleLane &ranks = {});
  /// As before prepare(): what it was prepared for does not tell it of steps.
  void detach() { source.reset(); }
  std::vector<RuleReport> report() const;

  StepView wants(const UpcomingStep &step) override;
  bool gathers() const override { return true; }
  Status onStep(const CompletedStep &step) override;
  Status afterStep() override;

private:
  struct Watched {
    std::unique_ptr<Rule> rule;
    RuleAction action;
    RuleRun run;
    RuleReport report = {};
    /// What it needs to be shown of the entries, by their names.
    std::map<std::string, StepView, std::less<>> views = {};
    bool isOff = false; // It failed, on rank 0.
  };
  using Tensors = std::map<std::string, LiveTensor, std::less<>>;

  StatusOr<Tensors> tensorsOf(const std::vector<EntrySignature> &entries) const;
  Status prepare(Watched &watched, const std::vector<EntrySignature> &entries,
                 Tensors &known) const;
  Status checkOpen() const;
  Status prepareAll(const std::vector<EntrySignature> &entries);
  Status agreeOnRules(const Status &mine) const;
  void evaluate(size_t rule);
  Status act(Watched &watched, Finding finding);
  void say(LogLevel level, const std::string &text) const;

  const LogSink log;
  LogSink sessionLog;
  const std::function<double()> clock;
  std::map<std::string, std::vector<std::string>, std::less<>>
      added; // Collections by tensor.
  std::vector<Watched> rules;
  std::optional<LiveTensors> source; // Once it is attached.
  RuleLane ranks;
  // Of the last step: which it was, and what rank 0 has to say of it.
  uint64_t call = 0;
  RuleStep current;
  bool isDue = false;
  std::vector<Verdict> verdicts;
};

} // namespace smp

#endif // SMP_RULES_RULEOBSERVER_H
