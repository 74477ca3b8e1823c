// SPDX-License-Identifier: Apache-2.0
// What is said of a step that makes no progress.
#include "SessionState.h"
#include "smp/base/Lists.h"
#include "smp/device/Communicator.h"
#include <cstdio>

namespace smp {

using State = SessionCore::State;

uint64_t State::progress() const {
  uint64_t sum = snapshots.progress();
  if (communicator())
    sum += communicator()->progress();
  for (const auto &executor : executors)
    sum += executor->progress();
  return sum;
}

std::string State::describeWaits() const {
  std::vector<std::string> all;
  for (const auto &executor : executors)
    all.push_back(executor->describe());
  if (gate.isReadFrom())
    all.push_back("variables are still being read for a checkpoint");
  if (communicator())
    if (std::string waits = communicator()->waits(); !waits.empty())
      all.push_back(std::move(waits));
  return join(all, "; ");
}

void State::expired(uint64_t step) {
  std::lock_guard<std::mutex> hold(reportLock);
  EntryState *entry = running;
  if (!entry || control.running() != step)
    return;
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", options.deadlineSeconds);
  const Status why(StatusCode::DeadlineExceeded,
                   "step of entry '" + entry->entry().name + "' with " +
                       std::to_string(entry->microbatches()) +
                       " microbatches made no progress for " + seconds +
                       " seconds; where the work needs longer, set a longer "
                       "deadline: " +
                       describeWaits());
  if (control.over())
    return;
  missedDeadline = true;
  if (control.failIf(step, why))
    log(LogLevel::Warning, why.message());
}

Status State::stillRuns(const Status &why) const {
  if (why.code() == StatusCode::DeadlineExceeded)
    return why;
  return Status(StatusCode::DeadlineExceeded,
                "the step is over, and kernels of it do not end: " +
                    describeWaits() + "; it is over because " + why.message());
}

} // namespace smp
