// SPDX-License-Identifier: Apache-2.0
#include "RuleObserver.h"
#include "Clock.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/capture/CaptureChoice.h"
#include <algorithm>

namespace smp {

RuleObserver::RuleObserver(LogSink log, std::function<double()> clock)
    : log(std::move(log)), clock(clock ? std::move(clock) : systemSeconds) {}

void RuleObserver::say(LogLevel level, const std::string &text) const {
  if (const LogSink &sink = log ? log : sessionLog)
    sink(level, text);
}

Status RuleObserver::checkOpen() const {
  return source ? failedPrecondition(
                      "these rules watch a Session already; every Session "
                      "needs a RuleWatch of its own")
                : Status();
}

Status RuleObserver::add(std::unique_ptr<Rule> rule, WatchedRule options) {
  SMP_RETURN_IF_ERROR(checkOpen());
  const std::string name(rule->name());
  if (options.range.interval == 0)
    return invalidArgument("the interval of " + name +
                           " is 0; it must be 1 or more");
  RuleRun run(*rule, options.range);
  rules.push_back({std::move(rule), std::move(options.action), std::move(run),
                   RuleReport{name}});
  return Status();
}

Status RuleObserver::addToCollection(std::string_view collection,
                                     std::string_view tensor) {
  SMP_RETURN_IF_ERROR(checkOpen());
  added[std::string(tensor)].emplace_back(collection);
  return Status();
}

std::vector<RuleReport> RuleObserver::report() const {
  std::vector<RuleReport> reports;
  for (const Watched &watched : rules)
    reports.push_back(watched.report);
  return reports;
}

//===----------------------------------------------------------------------===//
// Before the first step
//===----------------------------------------------------------------------===//

/// What the program gives and shows, with its collections.
StatusOr<RuleObserver::Tensors>
RuleObserver::tensorsOf(const std::vector<EntrySignature> &entries) const {
  Tensors all;
  const auto add = [&](const std::string &name, std::string_view collection) {
    const auto [at, isNew] = all.try_emplace(name);
    if (!isNew)
      return;
    at->second.tensor = {name, {}};
    if (!collection.empty())
      at->second.tensor.collections.emplace_back(collection);
    if (const auto more = added.find(name); more != added.end())
      for (const std::string &each : more->second)
        at->second.tensor.collections.push_back(each);
  };
  for (const EntrySignature &entry : entries)
    for (const TensorSignature &output : entry.outputs)
      add(output.name, "outputs");
  for (const EntrySignature &entry : entries)
    for (const Tap &tap : entry.taps) {
      SMP_ASSIGN_OR_RETURN(const std::string_view collection,
                           collectionOf(tap.name, tap.role));
      add(tap.name, collection);
    }
  for (const auto &[name, collections] : added)
    if (!all.contains(name))
      return invalidArgument("the program neither gives nor shows " +
                             quote(name) + ", which is to be in " +
                             listNames(collections) + kHowToShow);
  return all;
}

static StepView viewFor(RuleNeed need) {
  return need == RuleNeed::Values    ? StepView::Values
         : need == RuleNeed::Numbers ? StepView::Statistics
                                     : StepView::Outputs;
}

Status RuleObserver::prepare(Watched &watched,
                             const std::vector<EntrySignature> &entries,
                             Tensors &known) const {
  bool looks = false;
  for (auto &[name, live] : known) {
    SMP_ASSIGN_OR_RETURN(const RuleNeed need, watched.run.needOf(live.tensor));
    live.need = std::max(live.need, need);
    live.keepsValue |=
        need == RuleNeed::Values && watched.rule->earlierSteps() > 0;
    looks |= need != RuleNeed::Nothing;
  }
  for (const EntrySignature &entry : entries) {
    StepView &view = watched.views[entry.name];
    for (const Tap &tap : entry.taps) {
      SMP_ASSIGN_OR_RETURN(const RuleNeed need,
                           watched.run.needOf(known.at(tap.name).tensor));
      const bool isGiven = std::ranges::count(entry.outputs, tap.name,
                                              &TensorSignature::name) > 0;
      if (!isGiven)
        view = std::max(view, viewFor(need));
    }
  }
  for (const std::string &name : watched.rule->requiredTensors())
    if (!known.contains(name))
      return invalidArgument(watched.report.rule + " requires " + quote(name) +
                             ", which the program neither gives nor shows" +
                             kHowToShow);
  if (!looks)
    say(LogLevel::Info, watched.report.rule +
                            " looks at nothing that the program gives or "
                            "shows");
  return Status();
}

Status RuleObserver::prepareAll(const std::vector<EntrySignature> &entries) {
  SMP_ASSIGN_OR_RETURN(Tensors known, tensorsOf(entries));
  size_t depth = 1;
  for (Watched &watched : rules) {
    SMP_RETURN_IF_ERROR(prepare(watched, entries, known));
    depth = std::max(depth, watched.rule->earlierSteps() + 1);
  }
  std::erase_if(known, [](const auto &each) {
    return each.second.need == RuleNeed::Nothing;
  });
  source.emplace(std::move(known), depth);
  return Status();
}

/// Else one would wait for words of a step that the other does not look at.
Status RuleObserver::agreeOnRules(const Status &mine) const {
  std::string names;
  for (const Watched &watched : rules) {
    const RuleRange &range = watched.run.range;
    names +=
        (names.empty() ? "" : ", ") + watched.report.rule + " (" +
        std::to_string(range.startStep) + ":" +
        (range.endStep == UINT64_MAX ? "" : std::to_string(range.endStep)) +
        ":" + std::to_string(range.interval) + ")";
  }
  SMP_ASSIGN_OR_RETURN(const auto all,
                       ranks.meet(0).agree("RuleWatch::attach", mine, names));
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] != names)
      return invalidArgument(
          "rank " + std::to_string(rank) + " watches [" + all[rank] +
          "], with their start:end:interval, and this one [" + names +
          "]; give all ranks the same rules in the same order");
  return Status();
}

Status RuleObserver::prepare(const std::vector<EntrySignature> &entries,
                             LogSink logOfSession, const RuleLane &lane) {
  SMP_RETURN_IF_ERROR(checkOpen());
  sessionLog = std::move(logOfSession);
  ranks = lane;
  Status status = agreeOnRules(prepareAll(entries));
  if (!status.ok())
    detach();
  return status;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

StepView RuleObserver::wants(const UpcomingStep &step) {
  const RuleStep upcoming{step.mode, step.modeStep, step.globalStep};
  StepView most = StepView::Outputs;
  for (const Watched &watched : rules)
    if (ranks.isFirst() && !watched.isOff && watched.run.looksAt(upcoming))
      most = std::max(most, watched.views.find(step.entry)->second);
  return most;
}

Status RuleObserver::onStep(const CompletedStep &step) {
  current = {step.mode, step.modeStep, step.globalStep};
  call = step.call;
  isDue = std::ranges::any_of(rules, [&](const Watched &watched) {
    return watched.run.looksAt(current);
  });
  verdicts.clear();
  if (!ranks.isFirst())
    return Status();
  source->enter(step, clock());
  for (size_t i = 0; i < rules.size(); ++i)
    if (!rules[i].isOff && rules[i].run.looksAt(current))
      evaluate(i);
  source->leave();
  return Status();
}

void RuleObserver::evaluate(size_t rule) {
  Watched &watched = rules[rule];
  const uint64_t before = watched.run.evaluated();
  auto finding = watched.run.evaluate(*source, source->tensors());
  if (!finding.ok()) {
    watched.isOff = true;
    say(LogLevel::Warning,
        "a rule failed and is off now: " + finding.status().message());
  } else if (watched.run.evaluated() > before) {
    verdicts.push_back({rule, finding.take()});
  }
}

/// The first error of an action, when all were called.
Status RuleObserver::afterStep() {
  if (!isDue)
    return Status();
  SMP_ASSIGN_OR_RETURN(const std::string said,
                       ranks.meet(call).hearFirst(Status(), encode(verdicts)));
  if (!ranks.isFirst()) {
    SMP_ASSIGN_OR_RETURN(verdicts, decodeVerdicts(said, rules.size()));
  }
  Status failed;
  for (Verdict &verdict : verdicts) {
    Watched &watched = rules[verdict.rule];
    ++watched.report.evaluated;
    if (!verdict.finding)
      continue;
    Status status = act(watched, std::move(*verdict.finding));
    if (failed.ok())
      failed = std::move(status);
  }
  return failed;
}

/// Fails where the action does, which is called for the first finding alone.
Status RuleObserver::act(Watched &watched, Finding finding) {
  RuleReport &report = watched.report;
  if (report.met++ > 0)
    return Status();
  finding.rule = report.rule;
  finding.step = current;
  report.first = std::move(finding);
  if (watched.action)
    return watched.action(*report.first);
  say(LogLevel::Warning, report.first->message());
  return Status();
}

} // namespace smp
