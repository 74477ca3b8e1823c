// SPDX-License-Identifier: Apache-2.0
#include "RuleObserver.h"
#include "Clock.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/capture/CaptureChoice.h"

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
  for (const Watched &watched : rules) {
    reports.push_back(watched.report);
    reports.back().evaluated = watched.run.evaluated();
  }
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
    at->second.tensor = {name, {std::string(collection)}};
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
                             listNames(collections) +
                             "; compile it with --capture or --capture-all");
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
                             ", which the program neither gives nor shows; "
                             "compile it with --capture or --capture-all");
  if (!looks)
    say(LogLevel::Info, watched.report.rule +
                            " looks at nothing that the program gives or "
                            "shows");
  return Status();
}

Status RuleObserver::prepare(const std::vector<EntrySignature> &entries,
                             LogSink logOfSession) {
  SMP_RETURN_IF_ERROR(checkOpen());
  sessionLog = std::move(logOfSession);
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

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

StepView RuleObserver::wants(const UpcomingStep &step) {
  const RuleStep upcoming{step.mode, step.modeStep, step.globalStep};
  StepView most = StepView::Outputs;
  for (const Watched &watched : rules)
    if (!watched.isOff && watched.run.looksAt(upcoming))
      most = std::max(most, watched.views.find(step.entry)->second);
  return most;
}

Status RuleObserver::onStep(const CompletedStep &step) {
  source->enter(step, clock());
  Status failed;
  for (Watched &watched : rules)
    if (!watched.isOff && watched.run.looksAt(source->step()))
      if (Status status = evaluate(watched); failed.ok())
        failed = std::move(status);
  source->leave();
  return failed;
}

/// Fails where the action does.
Status RuleObserver::evaluate(Watched &watched) {
  const auto finding = watched.run.evaluate(*source, source->tensors());
  if (!finding.ok()) {
    watched.isOff = true;
    say(LogLevel::Warning,
        "a rule failed and is off now: " + finding.status().message());
    return Status();
  }
  if (!*finding)
    return Status();
  RuleReport &report = watched.report;
  if (report.met++ > 0)
    return Status();
  report.first = **finding;
  if (watched.action)
    return watched.action(*report.first);
  say(LogLevel::Warning, report.first->message());
  return Status();
}

} // namespace smp
