// SPDX-License-Identifier: Apache-2.0
#include "SessionState.h"
#include "../step/MessageKeys.h"
#include "smp/base/Lists.h"
#include "smp/device/Communicator.h"
#include <algorithm>

namespace smp {

using State = SessionCore::State;

State::State(std::shared_ptr<RunnableProgram> program, SessionOptions options,
             std::unique_ptr<DriverRegistry> drivers)
    : runnable(std::move(program)), options(std::move(options)),
      drivers(std::move(drivers)),
      lines(std::make_shared<SessionLog>(this->options.log)),
      variables(runnable, partitions),
      control([this](const Status &why) { wakeAll(why); }),
      gate(communicator(), gateKey()), pace(communicator()),
      measurements(this->program()),
      async(
          [this](const AsyncStep &asked) {
            return stepAndLeave(asked.entry, asked.inputs,
                                {asked.microbatches, asked.outputs});
          },
          lines),
      snapshots(variables, gate) {
  if (communicator()) {
    firstEpoch = communicator()->epoch() + 1;
    communicator()->beginEpoch(firstEpoch);
  }
}

State::~State() {
  requestStop();
  for (auto &executor : executors)
    if (std::string kernel = executor->runningKernel(); !kernel.empty())
      log(LogLevel::Warning,
          "closing a Session waits for " + kernel + ", which still runs");
  async.finish();
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

Status State::enter() {
  if (!mark.isHere())
    return forkedOff("Session");
  if (busy.exchange(true))
    return failedPrecondition("the Session is busy with a step; one at a time");
  if (!crew || !crew->busy()) {
    Status status = variables.putBack();
    busy = status.ok();
    return status;
  }
  busy = false;
  std::vector<std::string> kernels;
  for (auto &executor : executors)
    if (std::string kernel = executor->runningKernel(); !kernel.empty())
      kernels.push_back(std::move(kernel));
  return failedPrecondition(
      "a step that missed its deadline still runs " +
      (kernels.empty() ? "on its devices" : join(kernels, ", ")) +
      "; try again when it is done");
}

Status State::enterStep() {
  SMP_RETURN_IF_ERROR(enter());
  if (isStepOver.exchange(false))
    return Status();
  leave();
  return failedPrecondition("the step is not over: what follows it is under "
                            "way (observers, actions of rules), which may "
                            "make no step; make it when step() has returned");
}

void State::leaveStep() {
  isStepOver = true;
  leave();
}

Status State::awaitReaders() {
  if (gate.awaitReaders(deadlineAfter(options.deadlineSeconds)))
    return Status();
  return Status(StatusCode::DeadlineExceeded,
                "the devices have not given all variables to a checkpoint that "
                "reads them; they were not changed");
}

StatusOr<EntryState *> State::findEntry(std::string_view name) {
  std::vector<std::string> names;
  for (auto &entry : entries) {
    if (entry->entry().twin)
      continue;
    if (entry->entry().name == name)
      return entry.get();
    names.push_back(entry->entry().name);
  }
  return invalidArgument("the program has no entry '" + std::string(name) +
                         "'; it has " + listNames(names));
}

EntryState &State::twinFor(EntryState &entry, StepView view) {
  EntryState *best = &entry;
  if (view == StepView::Outputs)
    return entry;
  for (auto &other : entries)
    if (const auto &twin = other->entry().twin;
        twin && twin->of == entry.plan().number &&
        (best == &entry ||
         twin->shows(TapKind::Whole) == (view == StepView::Values)))
      best = other.get();
  return *best;
}

StatusOr<EntryState *> State::beginStep(EntryState &entry) {
  running = &entry;
  missedDeadline = false;
  if (stopRequested)
    return Status(StatusCode::Cancelled,
                  "a stop was requested: no step is made until it is cleared");
  const bool isWatched = canBeWatched && !observers.empty();
  RankWish wish;
  if (isWatched)
    wish = observers.wants(entry.entry().name, entry.entry().mode);
  SMP_RETURN_IF_ERROR(pace.keep(wish, isWatched));
  if (pace.isUnheard() && wish.view != StepView::Outputs)
    sayUnheard();
  return &twinFor(entry, pace.view());
}

/// Once.
void State::sayUnheard() {
  if (!std::exchange(hasSaidUnheard, true))
    log(LogLevel::Warning,
        "an observer of rank " + std::to_string(communicator()->rank()) +
            " came when steps had been made: it is shown what the program "
            "shows from the next meeting of the ranks on, which is every " +
            std::to_string(Pace::kMostAhead) +
            " steps; give a rank its observers before the first step");
}

StatusOr<StepOutput> State::stepAndLeave(std::string_view name,
                                         std::span<const InputTensor> inputs,
                                         const StepOptions &stepOptions) {
  StatusOr<StepOutput> output = step(name, inputs, stepOptions);
  std::vector<Observers::Watched> told = observers.takeTold();
  leave();
  const Status after = observers.tellAfterwards(
      std::move(told), output.status(),
      [this](LogLevel level, std::string_view line) { log(level, line); });
  isStepOver = true;
  if (!after.ok())
    return after;
  return output;
}

StatusOr<StepOutput> State::step(std::string_view name,
                                 std::span<const InputTensor> inputs,
                                 const StepOptions &stepOptions) {
  const uint64_t step = control.begin();
  played = false;
  gate.beginStep(epochOf(step), uint32_t(executors.size()));
  pace.beginStep(epochOf(step));
  if (communicator())
    communicator()->beginEpoch(epochOf(step));
  EntryState *entry = nullptr;
  const Status status = [&]() -> Status {
    SMP_ASSIGN_OR_RETURN(entry, findEntry(name));
    SMP_RETURN_IF_ERROR(entry->bindInputs(inputs, stepOptions));
    SMP_ASSIGN_OR_RETURN(EntryState *const shows, beginStep(*entry));
    if (std::exchange(entry, shows) != shows)
      SMP_RETURN_IF_ERROR(entry->bindInputs(inputs, stepOptions));
    SMP_RETURN_IF_ERROR(entry->bindOutputs(stepOptions, pace.gathersHere()));
    return runStep(*entry, step);
  }();
  if (!status.ok())
    control.fail(status); // Also tells other ranks.
  if (Status why = endStep(); !why.ok()) {
    variables.noteFailure(played, gate.wasOpened());
    return crew && crew->busy() ? stillRuns(why) : why;
  }
  entry->reduceOutputs();
  measure(*entry);
  SMP_RETURN_IF_ERROR(observe(*entry));
  return entry->output();
}

/// An update that has begun is made: what is half made is lost.
void State::requestStop() {
  stopRequested = true;
  if (gate.refuse())
    control.fail(Status(StatusCode::Cancelled, "a stop was requested"));
}

/// Waits for a report of a missed deadline, which describes the step.
Status State::endStep() {
  std::lock_guard<std::mutex> hold(reportLock);
  running = nullptr;
  return control.end();
}

Status State::runStep(EntryState &entry, uint64_t step) {
  running = &entry;
  for (auto &link : entry.plan().links)
    if (link)
      link->beginStep(epochOf(step));
  for (auto &run : entry.plan().runs)
    if (run)
      run->beginStep(epochOf(step), entry.microbatches(), bool(options.profile),
                     pace.gathering());
  SMP_RETURN_IF_ERROR(variables.refresh());
  SMP_RETURN_IF_ERROR(variables.checkSound());
  entry.passThrough();
  return play(entry);
}

/// An error of the work is the step's, the lowest partition's first.
Status State::play(EntryState &entry) {
  played = true;
  const Schedule &schedule = entry.plan().schedule(entry.microbatches());
  if (crew)
    crew->begin(entry.plan(), schedule);
  Status status;
  for (auto &executor : executors)
    if (!crew)
      status = executor->play(entry.plan(),
                              schedule.actions[executor->of().number()]);
  if (communicator() && executors.empty() && entry.plan().changesVariables())
    status = gate.open();
  if (communicator() && status.ok())
    status = entry.receiveOutputs(*communicator(), epochOf(control.number()));
  if (!status.ok())
    control.fail(status);
  if (!crew)
    return status;
  crew->wait([this] {
    const double deadline = options.deadlineSeconds;
    return missedDeadline ? std::min(deadline / 4, 1.0) : deadline;
  });
  for (size_t i = 0; !crew->busy() && i < executors.size(); ++i)
    if (status.ok())
      status = crew->outcome(i);
  return status;
}

void State::wakeAll(const Status &why) {
  gate.endWaits();
  if (EntryState *entry = running)
    for (auto &link : entry->plan().links)
      if (link)
        link->endWaits();
  if (crew)
    crew->wakeUp();
  if (communicator())
    communicator()->fail(epochOf(control.number()), why);
}

//===----------------------------------------------------------------------===//
// After a step
//===----------------------------------------------------------------------===//

void State::measure(const EntryState &entry) {
  measurements.measure(entry);
  if (options.profile)
    lines->sayThrown(callApplication([&] {
                       options.profile(entry.entry().name,
                                       measurements.profile(entry));
                     }),
                     "the profile callback");
}

Status State::observe(EntryState &entry) {
  CompletedStep step;
  const auto &twin = entry.entry().twin;
  step.entry = (twin ? program().entries[twin->of] : entry.entry()).name;
  step.mode = entry.entry().mode;
  step.call = control.number();
  step.microbatches = entry.microbatches();
  step.output = entry.output();
  step.shown = entry.shown();
  observers.count(step);
  if (observers.empty())
    return Status();
  return observers.tell(step, [this](LogLevel level, std::string_view line) {
    log(level, line);
  });
}

} // namespace smp
