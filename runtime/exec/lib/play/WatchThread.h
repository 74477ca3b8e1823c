// SPDX-License-Identifier: Apache-2.0
// The thread on which Watchdogs look.

#ifndef SMP_EXEC_WATCHTHREAD_H
#define SMP_EXEC_WATCHTHREAD_H

#include "Watchdog.h"
#include "smp/base/ProcessMark.h"
#include "smp/base/Thread.h"
#include <atomic>
#include <mutex>
#include <vector>

namespace smp {

/// Calls each Watchdog's look() when it is time, one after the other. Any
/// thread may add and remove.
class WatchThread {
public:
  /// The one of this process, which lives as long as somebody has it.
  static StatusOr<std::shared_ptr<WatchThread>> ofProcess();
  ~WatchThread();

  /// Borrows the dog until it is removed.
  void add(Watchdog &dog);
  /// Waits until nobody looks through it.
  void remove(Watchdog &dog);

private:
  using Clock = std::chrono::steady_clock;

  WatchThread() = default;
  void main();
  Watchdog *firstDue() const;
  void wake();

  std::atomic<uint32_t> changes{0}; // Who waits sleeps on it.
  std::mutex lock;                  // Guards what follows.
  std::vector<Watchdog *> dogs;
  const Watchdog *looking = nullptr; // Through this, without the lock.
  bool stopping = false;

  const ProcessMark mark;
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_EXEC_WATCHTHREAD_H
