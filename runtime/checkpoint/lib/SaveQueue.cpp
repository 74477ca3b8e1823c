// SPDX-License-Identifier: Apache-2.0
#include "SaveQueue.h"
#include <algorithm>
#include <cmath>

namespace smp {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

SaveQueue::SaveQueue(Communicator *lane, Options options, Work work)
    : options(options), work(std::move(work)),
      orders(lane, options.deadlineSeconds), interval(options.interval) {}

SaveQueue::~SaveQueue() {
  if (!isHere())
    return; // The thread is one of the process that was forked.
  drain();
  {
    Lock hold(lock);
    closing = true;
  }
  changes.note();
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static Status cancelled(const char *why) {
  return Status(StatusCode::Cancelled, why);
}

CheckpointSave SaveQueue::ask(bool must, const SaveOptions &wanted,
                              OnSaved onSaved) {
  {
    Lock hold(lock);
    steps.callBegins(Clock::now());
  }
  CheckpointSave save = makeSave(must, wanted, std::move(onSaved));
  Lock hold(lock);
  if (must) // What comes next is no step: somebody waits.
    steps.forgetCall();
  else
    steps.callEnds(Clock::now(), !isIdle());
  return save;
}

CheckpointSave SaveQueue::makeSave(bool must, const SaveOptions &wanted,
                                   OnSaved onSaved) {
  const auto start = Clock::now();
  Entry job;
  job.must = must;
  job.checkInterval = wanted.checkInterval;
  job.wish = {wanted.number, wanted.metric};
  if (!std::isfinite(wanted.metric.value_or(0)))
    job.wish.metric.reset();
  job.handle = std::make_shared<CheckpointSave::State>();
  job.handle->onSaved = std::move(onSaved);
  const CheckpointSave handle(job.handle);
  auto verdict = decide(job);
  Status status = verdict.ok() ? startThread() : verdict.status();
  if (verdict.ok() && verdict->kind == SaveVerdict::NotDue) {
    leaveOut(job, &SaveCounts::notDue, std::string());
    return handle;
  }
  if (verdict.ok() && verdict->kind == SaveVerdict::Space) {
    leaveOut(job, &SaveCounts::spaced,
             cancelled("the budget of saves left this one out"));
    return handle;
  }
  if (status.ok())
    status = take(job);
  job.ready = std::move(status);
  job.cost = secondsSince(start);
  if (verdict.ok() && thread)
    add(std::move(job));
  else
    finish(job, job.ready);
  return handle;
}

/// Gives the job its number. Who gives it its place is left out.
StatusOr<SaveVerdict> SaveQueue::decide(Entry &job) {
  SaveVerdict mine;
  std::optional<Entry> replaced;
  {
    Lock hold(lock);
    job.call = ++calls;
    if (orders.isFirst()) {
      mine = choose(hold, job);
      replaced = extract(mine.replaced);
    }
  }
  auto verdict = orders.decide(job.call, mine);
  if (verdict.ok() && !orders.isFirst()) {
    Lock hold(lock);
    replaced = extract(verdict->replaced);
  }
  if (replaced)
    leaveOut(*replaced, &SaveCounts::replaced,
             cancelled("a newer save took the place of this one"));
  return verdict;
}

bool SaveQueue::isSpaced(const Entry &job) const {
  if (job.must || !options.budget)
    return false;
  const double lost = std::max(cost, steps.lostToASave());
  return lost > 0 && secondsSince(lastMade) < lost / *options.budget;
}

/// What becomes of the call; waits for a place where the options say so.
SaveVerdict SaveQueue::choose(Lock &hold, Entry &job) {
  if (!interval.isDue(job.checkInterval))
    return {SaveVerdict::NotDue};
  if (isSpaced(job))
    return {SaveVerdict::Space};
  job.stepBefore = interval.note();
  job.step = interval.lastStep();
  if (hasPlace())
    return {};
  if (options.whenBusy == WhenBusy::Replace)
    return {SaveVerdict::Make, waiting.back().call};
  ++counted.waits;
  while (!hasPlace()) {
    const uint32_t seen = changes.now();
    hold.unlock();
    changes.waitBeyond(seen);
    hold.lock();
  }
  return {};
}

/// Out of those that wait; nothing when there is no such one.
std::optional<SaveQueue::Entry> SaveQueue::extract(uint64_t call) {
  const auto found =
      std::find_if(waiting.begin(), waiting.end(),
                   [&](const Entry &job) { return job.call == call; });
  if (found == waiting.end())
    return std::nullopt;
  std::optional<Entry> job = std::move(*found);
  waiting.erase(found);
  return job;
}

void SaveQueue::leaveOut(Entry &job, uint64_t SaveCounts::*count,
                         const SaveResult &result) {
  {
    Lock hold(lock);
    ++(counted.*count);
  }
  job.releaseSlot();
  job.handle->finish(result);
}

void SaveQueue::noteRestored() {
  Lock hold(lock);
  (void)interval.note();
  steps.forgetCall();
}

/// Another rank may be done with a save that still ends here, and soon.
Status SaveQueue::take(Entry &job) {
  const Deadline deadline = deadlineAfter(options.deadlineSeconds);
  for (bool inTime = true; inTime;) {
    const uint32_t seen = changes.now();
    for (SaveSlot &slot : slots)
      if (slot.isFree.exchange(false)) {
        job.slot = &slot;
        return work.take(slot, job.must);
      }
    inTime = changes.waitBeyond(seen, deadline);
  }
  return Status(StatusCode::DeadlineExceeded,
                "the save before the last has not come to its end");
}

void SaveQueue::add(Entry job) {
  {
    Lock hold(lock);
    lastMade = Clock::now();
    waiting.push_back(std::move(job));
  }
  changes.note();
}

uint64_t SaveQueue::countCall() {
  Lock hold(lock);
  return ++calls;
}

SaveCounts SaveQueue::counts() const {
  Lock hold(lock);
  return counted;
}

Status SaveQueue::check() const {
  return isHere() ? Status() : forkedOff("CheckpointManager");
}

void SaveQueue::drain() {
  if (!isHere())
    return;
  Lock hold(lock);
  while (!isIdle()) {
    const uint32_t seen = changes.now();
    hold.unlock();
    changes.waitBeyond(seen);
    hold.lock();
  }
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

Status SaveQueue::startThread() {
  if (thread)
    return Status();
  SMP_ASSIGN_OR_RETURN(thread,
                       Thread::start("smp save", [this] { threadMain(); }));
  return Status();
}

void SaveQueue::threadMain() {
  while (true) {
    const uint32_t seen = changes.now();
    if (runNext())
      continue;
    Lock hold(lock);
    if (closing)
      return;
    hold.unlock();
    changes.waitBeyond(seen);
  }
}

/// False when there is nothing to do.
bool SaveQueue::runNext() {
  Lock hold(lock);
  if (waiting.empty())
    return false;
  Entry job;
  const uint64_t call = waiting.front().call;
  isBusy = true;
  if (orders.isFirst()) { // From here on none takes its place.
    job = std::move(waiting.front());
    waiting.pop_front();
    steps.saveBegins();
  }
  hold.unlock();
  changes.note();
  auto next = orders.next(call);
  if (!orders.isFirst()) {
    hold.lock();
    job = find(hold, next.ok() ? *next : call);
    hold.unlock();
  }
  finish(job, next.ok() ? work.make(job) : SaveResult(next.status()));
  return true;
}

/// The job of a call that another rank may have come to before this one.
SaveQueue::Entry SaveQueue::find(Lock &hold, uint64_t call) {
  const Deadline deadline = deadlineAfter(options.deadlineSeconds);
  std::optional<Entry> job = extract(call);
  for (bool inTime = true; !job && inTime; job = extract(call)) {
    const uint32_t seen = changes.now();
    hold.unlock();
    inTime = changes.waitBeyond(seen, deadline);
    hold.lock();
  }
  if (job)
    return std::move(*job);
  Entry absent;
  absent.call = call;
  absent.ready = unavailable("it has not come to save number " +
                             std::to_string(call) + " of its manager");
  return absent;
}

void SaveQueue::finish(Entry &job, const SaveResult &result) {
  job.releaseSlot();
  {
    Lock hold(lock);
    if (result.ok())
      cost = job.cost;
    else // The step may be saved all the same.
      interval.takeBack(job.step, job.stepBefore);
    ++(result.ok() ? counted.committed : counted.failed);
  }
  if (!result.ok() && !job.must)
    work.sayFailure(result.status());
  if (job.handle)
    job.handle->finish(result);
  {
    Lock hold(lock);
    isBusy = false;
  }
  changes.note();
}

} // namespace smp
