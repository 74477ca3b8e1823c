// SPDX-License-Identifier: Apache-2.0
// Plays the action list of one partition.

#ifndef SMP_EXEC_EXECUTOR_H
#define SMP_EXEC_EXECUTOR_H

#include "../plan/EntryPlan.h"
#include "UpdateGate.h"

namespace smp {

class Executor {
public:
  Executor(DevicePartition &partition, StepControl &control, UpdateGate &gate)
      : partition(partition), control(control), gate(gate),
        finished(partition.device().makeEvent()) {}

  /// Plays the list and waits until the partition's stream has done it all. An
  /// error of the work is returned; one of the step is in the control.
  Status play(EntryPlan &plan, const std::vector<Action> &actions);

  const DevicePartition &of() const { return partition; }
  /// The calling thread will play this executor's lists.
  void bindThisThread() { partition.device().bindThisThread(); }
  /// Changes while play() gets on. Any thread may ask.
  uint64_t progress() const;
  /// What it does now: "partition 1 (cpu:1) waits ...". Any thread may ask.
  std::string describe() const;
  /// The kernel that runs now, or between which it is; or empty. Any thread may
  /// ask.
  std::string runningKernel() const;

private:
  enum class Doing : uint32_t {
    Nothing,
    Running,
    Sending,
    Receiving,
    Meeting,
    Finishing
  };
  void note(Doing what, const Action &action);
  bool act(EntryPlan &plan, const Action &action);
  bool meetOthers();

  DevicePartition &partition;
  StepControl &control;
  UpdateGate &gate;
  std::unique_ptr<Event> finished;
  std::atomic<const EntryPlan *> current{nullptr};
  // What (4 bits), index of stage or channel (28 bits), microbatch (32 bits).
  std::atomic<uint64_t> activity{0};
  std::atomic<uint64_t> played{0};
};

} // namespace smp

#endif // SMP_EXEC_EXECUTOR_H
