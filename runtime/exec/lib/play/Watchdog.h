// SPDX-License-Identifier: Apache-2.0
// Notices that a step makes no progress.

#ifndef SMP_EXEC_WATCHDOG_H
#define SMP_EXEC_WATCHDOG_H

#include "../step/StepControl.h"
#include "smp/base/Thread.h"
#include "smp/device/Parking.h"

namespace smp {

/// A thread that looks a few times per deadline whether the running step got
/// on. The step itself pays nothing for it.
class Watchdog {
public:
  struct Watched {
    StepControl &control;
    std::function<uint64_t()> progress; ///< Changes when work gets done.
    std::function<void(uint64_t step)> expired; ///< The step made none.
  };
  static StatusOr<std::unique_ptr<Watchdog>> start(double deadlineSeconds,
                                                   Watched watched);
  ~Watchdog();

private:
  Watchdog(double seconds, Watched watched)
      : deadline(seconds), watched(std::move(watched)) {}
  void threadMain();

  std::chrono::duration<double> deadline;
  Watched watched;
  std::atomic<uint32_t> stopping{0};
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_EXEC_WATCHDOG_H
