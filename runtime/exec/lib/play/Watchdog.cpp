// SPDX-License-Identifier: Apache-2.0
#include "Watchdog.h"
#include "WatchThread.h"

namespace smp {

StatusOr<std::unique_ptr<Watchdog>> Watchdog::start(double deadlineSeconds,
                                                    Watched watched) {
  std::unique_ptr<Watchdog> dog(
      new Watchdog(deadlineSeconds, std::move(watched)));
  SMP_ASSIGN_OR_RETURN(dog->thread, WatchThread::ofProcess());
  dog->thread->add(*dog);
  return dog;
}

Watchdog::~Watchdog() {
  if (thread)
    thread->remove(*this);
}

Watchdog::Clock::duration Watchdog::tick() const {
  constexpr double kLooksPerDeadline = 8;
  return std::chrono::nanoseconds(
      int64_t(deadline.count() * 1e9 / kLooksPerDeadline) + 1);
}

void Watchdog::look(Clock::time_point now) {
  const uint64_t stepNow = watched.control.running();
  const uint64_t progressNow = watched.progress();
  if (stepNow == 0 || stepNow != step || progressNow != progress)
    since = now;
  else if (now - since >= deadline)
    watched.expired(step);
  step = stepNow;
  progress = progressNow;
}

} // namespace smp
