// SPDX-License-Identifier: Apache-2.0
// Notices that a step makes no progress.

#ifndef SMP_EXEC_WATCHDOG_H
#define SMP_EXEC_WATCHDOG_H

#include "../step/StepControl.h"
#include <chrono>
#include <functional>
#include <memory>

namespace smp {

class WatchThread;

/// Looks a few times per deadline whether the running step got on, on a thread
/// that all Sessions of the process have in common. The step itself pays
/// nothing for it.
class Watchdog {
public:
  struct Watched {
    StepControl &control;
    std::function<uint64_t()> progress; ///< Changes when work gets done.
    std::function<void(uint64_t step)> expired; ///< The step made none.
  };
  static StatusOr<std::unique_ptr<Watchdog>> start(double deadlineSeconds,
                                                   Watched watched);
  /// Waits for a look.
  ~Watchdog();

private:
  friend class WatchThread;
  using Clock = std::chrono::steady_clock;

  Watchdog(double seconds, Watched watched)
      : deadline(seconds), watched(std::move(watched)) {}
  Clock::duration tick() const;
  /// On the thread.
  void look(Clock::time_point now);

  std::chrono::duration<double> deadline;
  Watched watched;
  uint64_t step = 0, progress = 0;         // As the last look saw them,
  Clock::time_point since = Clock::now();  // and since when.
  Clock::time_point next = since + tick(); // When to look. The thread's.
  std::shared_ptr<WatchThread> thread;
};

} // namespace smp

#endif // SMP_EXEC_WATCHDOG_H
