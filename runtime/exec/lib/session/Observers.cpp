// SPDX-License-Identifier: Apache-2.0
#include "Observers.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace smp {

void Observers::add(std::weak_ptr<StepObserver> observer,
                    OnObserverError onError) {
  all.push_back({std::move(observer), onError});
}

static uint64_t sumOf(const StepCounts &counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

RankWish Observers::wants(std::string_view entry, Mode mode) const {
  const UpcomingStep step{entry, mode, counts[size_t(mode) - 1], sumOf(counts)};
  RankWish wish;
  for (const Watched &each : all)
    if (const std::shared_ptr<StepObserver> observer = each.observer.lock()) {
      const StepView view = observer->wants(step);
      wish.view = std::max(wish.view, view);
      wish.ofAllRanks |= view != StepView::Outputs && observer->gathers();
    }
  return wish;
}

void Observers::count(CompletedStep &step) {
  step.globalStep = sumOf(counts);
  step.modeStep = counts[size_t(step.mode) - 1]++;
}

template <typename Call, typename Name>
Status Observers::tellAll(Call call, Name name, const LogSink &log) {
  Status result;
  for (size_t i = 0; i < all.size();) {
    const std::shared_ptr<StepObserver> observer = all[i].observer.lock();
    Status status = observer ? call(*observer) : Status();
    if (observer && status.ok()) {
      ++i;
      continue;
    }
    const bool stops = all[i].onError == OnObserverError::Stop;
    all.erase(all.begin() + ptrdiff_t(i));
    if (status.ok()) // It is gone.
      continue;
    status = status.in("an observer of " + name() + " failed and is off now");
    log(LogLevel::Warning, status.message());
    if (stops && result.ok())
      result = std::move(status);
  }
  return result;
}

Status Observers::tell(const CompletedStep &step, const LogSink &log) {
  Status status =
      tellAll([&](StepObserver &observer) { return observer.onStep(step); },
              [&] {
                return "step " + std::to_string(step.globalStep) + ", entry '" +
                       std::string(step.entry) + "',";
              },
              log);
  hasTold = true;
  return status;
}

std::vector<Observers::Watched> Observers::takeTold() {
  std::vector<Watched> told;
  if (!std::exchange(hasTold, false))
    return told;
  const std::lock_guard<std::mutex> hold(lock);
  told.swap(spare);
  told.assign(all.begin(), all.end());
  return told;
}

Status Observers::tellAfterwards(std::vector<Watched> told, Status status,
                                 const LogSink &log) {
  for (const Watched &each : told) {
    const std::shared_ptr<StepObserver> observer = each.observer.lock();
    Status after = observer ? observer->afterStep() : Status();
    if (after.ok())
      continue;
    if (each.onError == OnObserverError::Stop && status.ok())
      status = std::move(after);
    else
      log(LogLevel::Warning, after.message());
  }
  told.clear();
  const std::lock_guard<std::mutex> hold(lock);
  if (told.capacity() > spare.capacity())
    told.swap(spare);
  return status;
}

Status Observers::tellOfSnapshot(const LogSink &log) {
  return tellAll([](StepObserver &observer) { return observer.onSnapshot(); },
                 [] { return std::string("a checkpoint"); }, log);
}

} // namespace smp
