// SPDX-License-Identifier: Apache-2.0
// What all who take part in a step share: whether it goes on.

#ifndef SMP_EXEC_STEPCONTROL_H
#define SMP_EXEC_STEPCONTROL_H

#include "smp/base/Status.h"
#include <atomic>
#include <functional>
#include <mutex>

namespace smp {

/// One step after the other of a Session. A step that failed is over: whoever
/// takes part stops at the next chance, and every wait ends.
class StepControl {
public:
  /// `wakeAll` ends the waits of the running step; called with a lock held.
  explicit StepControl(std::function<void(const Status &why)> wakeAll)
      : wakeAll(std::move(wakeAll)) {}

  /// Steps are numbered from 1.
  uint64_t begin();
  /// Ends the running step and returns why it failed, if it did.
  Status end();
  /// The number of the running step; 0: none runs.
  uint64_t running() const { return active.load(std::memory_order_acquire); }
  uint64_t number() const { return count; }

  bool over() const { return failed.load(std::memory_order_relaxed); }
  /// The same, for who looks while the step runs.
  const std::atomic<bool> &isOver() const { return failed; }
  /// The running step fails. The first reason counts.
  void fail(const Status &why) { failIf(running(), why); }
  /// The same, unless another step runs by now. Returns whether this was the
  /// first reason.
  bool failIf(uint64_t step, const Status &why);

private:
  std::function<void(const Status &)> wakeAll;
  std::mutex lock;
  std::atomic<uint64_t> active{0};
  std::atomic<bool> failed{false};
  uint64_t count = 0;
  Status reason;
};

} // namespace smp

#endif // SMP_EXEC_STEPCONTROL_H
