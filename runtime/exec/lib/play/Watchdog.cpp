// SPDX-License-Identifier: Apache-2.0
#include "Watchdog.h"

namespace smp {

StatusOr<std::unique_ptr<Watchdog>> Watchdog::start(double deadlineSeconds,
                                                    Watched watched) {
  std::unique_ptr<Watchdog> dog(
      new Watchdog(deadlineSeconds, std::move(watched)));
  SMP_ASSIGN_OR_RETURN(
      dog->thread,
      Thread::start("smp watchdog", [dog = dog.get()] { dog->threadMain(); }));
  return dog;
}

Watchdog::~Watchdog() {
  stopping = 1;
  unparkAll(stopping);
  thread.reset();
}

void Watchdog::threadMain() {
  constexpr double kLooksPerDeadline = 8;
  using Clock = std::chrono::steady_clock;
  const auto tick = uint64_t(deadline.count() * 1e9 / kLooksPerDeadline) + 1;
  uint64_t step = 0, progress = 0;
  auto since = Clock::now();
  while (!stopping.load()) {
    parkFor(stopping, 0, tick);
    const uint64_t stepNow = watched.control.running();
    const uint64_t progressNow = watched.progress();
    if (stepNow == 0 || stepNow != step || progressNow != progress)
      since = Clock::now();
    else if (Clock::now() - since >= deadline)
      watched.expired(step);
    step = stepNow;
    progress = progressNow;
  }
}

} // namespace smp
