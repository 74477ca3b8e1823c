// SPDX-License-Identifier: Apache-2.0
#include "WatchThread.h"
#include "smp/base/ProcessWide.h"
#include "smp/device/Parking.h"
#include <algorithm>

namespace smp {

StatusOr<std::shared_ptr<WatchThread>> WatchThread::ofProcess() {
  static auto &threads = *new ProcessWide<int, WatchThread>;
  return threads.get(0, []() -> StatusOr<std::shared_ptr<WatchThread>> {
    std::shared_ptr<WatchThread> made(new WatchThread);
    SMP_ASSIGN_OR_RETURN(
        made->thread,
        Thread::start("smp watchdog", [made = made.get()] { made->main(); }));
    return made;
  });
}

WatchThread::~WatchThread() {
  if (!mark.isHere())
    return; // Whoever held the lock is not here.
  {
    std::lock_guard<std::mutex> hold(lock);
    stopping = true;
  }
  wake();
  thread.reset();
}

void WatchThread::add(Watchdog &dog) {
  {
    std::lock_guard<std::mutex> hold(lock);
    dogs.push_back(&dog);
  }
  wake();
}

void WatchThread::remove(Watchdog &dog) {
  if (!mark.isHere())
    return;
  std::unique_lock<std::mutex> hold(lock);
  dogs.erase(std::find(dogs.begin(), dogs.end(), &dog));
  while (looking == &dog) {
    const uint32_t seen = changes.load();
    hold.unlock();
    park(changes, seen);
    hold.lock();
  }
}

void WatchThread::wake() {
  changes.fetch_add(1);
  unparkAll(changes);
}

/// Null: there is none.
Watchdog *WatchThread::firstDue() const {
  const auto first =
      std::min_element(dogs.begin(), dogs.end(), [](auto *one, auto *other) {
        return one->next < other->next;
      });
  return first == dogs.end() ? nullptr : *first;
}

void WatchThread::main() {
  std::unique_lock<std::mutex> hold(lock);
  while (!stopping) {
    const uint32_t seen = changes.load();
    Watchdog *dog = firstDue();
    const auto now = Clock::now();
    const bool isDue = dog && dog->next <= now;
    if (isDue) {
      dog->next = now + dog->tick();
      looking = dog;
    }
    const auto wait = dog ? dog->next - now : Clock::duration();
    hold.unlock();
    if (isDue)
      dog->look(now);
    else if (dog)
      parkFor(changes, seen, uint64_t(std::chrono::nanoseconds(wait).count()));
    else
      park(changes, seen);
    hold.lock();
    if (isDue) {
      looking = nullptr;
      wake();
    }
  }
}

} // namespace smp
