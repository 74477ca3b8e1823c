// SPDX-License-Identifier: Apache-2.0
#include "smp/rules/RuleWatch.h"
#include "RuleObserver.h"
#include "smp/exec/SessionCore.h"
#include "smp/runtime/Session.h"

namespace smp {

RuleAction stopRun() {
  return [](const Finding &finding) {
    return failedPrecondition(finding.message());
  };
}

RuleWatch::RuleWatch(LogSink log, std::function<double()> clock)
    : observer(
          std::make_shared<RuleObserver>(std::move(log), std::move(clock))) {}
RuleWatch::RuleWatch(RuleWatch &&) noexcept = default;
RuleWatch &RuleWatch::operator=(RuleWatch &&) noexcept = default;
RuleWatch::~RuleWatch() = default;

Status RuleWatch::add(std::unique_ptr<Rule> rule, WatchedRule options) {
  return observer->add(std::move(rule), std::move(options));
}

Status RuleWatch::addToCollection(std::string_view collection,
                                  std::string_view tensor) {
  return observer->addToCollection(collection, tensor);
}

Status RuleWatch::attach(Session &session) {
  SessionCore &core = session;
  const auto log = [&core](LogLevel level, std::string_view line) {
    core.log(level, line);
  };
  SMP_RETURN_IF_ERROR(observer->prepare(
      session.entries(), log, {core.openKeptLane(), core.deadlineSeconds()}));
  Status status = session.addObserver(observer, OnObserverError::Stop);
  if (!status.ok())
    observer->detach();
  return status;
}

std::vector<RuleReport> RuleWatch::report() const { return observer->report(); }

} // namespace smp
