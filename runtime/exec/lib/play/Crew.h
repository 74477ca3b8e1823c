// SPDX-License-Identifier: Apache-2.0
// The threads that play several partitions at once.

#ifndef SMP_EXEC_CREW_H
#define SMP_EXEC_CREW_H

#include "Executor.h"
#include "smp/base/Thread.h"
#include "smp/device/Parking.h"

namespace smp {

/// One thread per executor, each bound to its device.
class Crew {
public:
  static StatusOr<std::unique_ptr<Crew>>
  start(std::vector<Executor *> executors);
  /// Waits for work that still runs.
  ~Crew();

  /// Starts to play a step's lists; `schedule` is by partition.
  void begin(EntryPlan &plan, const Schedule &schedule);
  /// Waits until all are done. Once the step is over it waits only as long as
  /// the others get on: after `patience()` seconds (0: for ever) without
  /// progress it gives up, and busy() says so until the last one is done.
  void wait(const std::function<double()> &patience);
  /// The step is over: ends the first kind of waiting.
  void wakeUp();

  bool busy() const { return (left.load() & ~kOver) != 0; }
  /// Of executor `i`, when not busy.
  const Status &outcome(size_t i) const { return members[i]->outcome; }

private:
  static constexpr uint32_t kOver = 0x80000000u;
  struct Member {
    Executor *executor;
    Status outcome;
    std::unique_ptr<Thread> thread;
  };

  Crew() = default;
  void threadMain(Member &member);
  uint64_t progress() const;

  EntryPlan *plan = nullptr;
  const Schedule *schedule = nullptr;
  alignas(64) std::atomic<uint32_t> round{0}; // Of play; they sleep on it.
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<uint32_t> left{0}; // Members that still play.
  std::vector<std::unique_ptr<Member>> members;
};

} // namespace smp

#endif // SMP_EXEC_CREW_H
