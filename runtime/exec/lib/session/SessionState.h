// SPDX-License-Identifier: Apache-2.0
// All that an open Session holds.

#ifndef SMP_EXEC_SESSIONSTATE_H
#define SMP_EXEC_SESSIONSTATE_H

#include "../play/Crew.h"
#include "../play/Pace.h"
#include "../play/UpdateGate.h"
#include "../play/Watchdog.h"
#include "AsyncSteps.h"
#include "Measurements.h"
#include "Observers.h"
#include "SessionLog.h"
#include "SnapshotReader.h"
#include "Variables.h"
#include "smp/base/ProcessMark.h"
#include "smp/exec/SessionCore.h"

namespace smp {

struct SessionCore::State {
  State(std::shared_ptr<RunnableProgram> program, SessionOptions options,
        std::unique_ptr<DriverRegistry> drivers);
  ~State();

  const Program &program() const { return runnable->program(); }
  void log(LogLevel level, std::string_view line) { lines->say(level, line); }
  Communicator *communicator() const { return options.communicator; }

  // Steps.
  Status enter();
  void leave() { busy = false; }
  /// enter() for a step, which is over when its observers were called.
  Status enterStep();
  void leaveStep();
  /// A step of a Session that was entered for one, which it leaves.
  StatusOr<StepOutput> stepAndLeave(std::string_view name,
                                    std::span<const InputTensor> inputs,
                                    const StepOptions &stepOptions);
  StatusOr<StepOutput> step(std::string_view name,
                            std::span<const InputTensor> inputs,
                            const StepOptions &stepOptions);
  /// Finds out with the other ranks what is to be seen of the step of an entry,
  /// and gives it, or the twin of it that shows that.
  StatusOr<EntryState *> beginStep(EntryState &entry);
  Status runStep(EntryState &entry, uint64_t step);
  Status play(EntryState &entry);
  StatusOr<EntryState *> findEntry(std::string_view name);
  EntryState &twinFor(EntryState &entry, StepView view);
  void sayUnheard();
  void measure(const EntryState &entry);
  Status observe(EntryState &entry);
  void wakeAll(const Status &why);
  void expired(uint64_t step);
  Status endStep();
  /// Any thread may call it, at any time.
  void requestStop();
  /// The error of a step that is over, where kernels do not end.
  Status stillRuns(const Status &why) const;
  uint64_t progress() const;
  /// Before variables are changed between steps.
  Status awaitReaders();
  uint64_t epochOf(uint64_t step) const { return firstEpoch + step; }
  std::string describeWaits() const;

  std::shared_ptr<RunnableProgram> runnable;
  SessionOptions options;
  std::unique_ptr<DriverRegistry> drivers;
  std::shared_ptr<SessionLog> lines;
  Variables variables; // Devices may read them to the end.
  std::vector<std::unique_ptr<DevicePartition>> partitions; // Null: elsewhere.
  StepControl control;
  UpdateGate gate;
  Pace pace;
  std::vector<uint32_t> ranks;                        // By partition.
  std::vector<std::unique_ptr<EntryMemory>> memories; // By partition.
  /// By partition; empty when numerics are not checked.
  std::vector<std::unique_ptr<NumericsPieces>> pieces;
  std::vector<std::unique_ptr<EntryState>> entries;
  std::vector<std::unique_ptr<Executor>> executors; // Of this rank.
  Measurements measurements;
  Observers observers;
  std::vector<std::unique_ptr<Communicator>> lanes; // That observers borrow.
  LoadTime loadTime;
  ProcessMark mark;
  uint64_t firstEpoch = 0;
  bool played = false;       // Whether the step came to its action lists.
  bool canBeWatched = false; // Whether some entry has a twin.
  bool hasSaidUnheard = false;

  std::atomic<bool> busy{false}, stopRequested{false};
  std::atomic<bool> isStepOver{true};         // And its observers were called.
  std::atomic<EntryState *> running{nullptr}; // For wakeAll() and reports.
  std::atomic<bool> missedDeadline{false};
  std::mutex reportLock; // Held while a missed deadline is reported.

  // Threads end first.
  std::unique_ptr<Crew> crew; // Null: the caller plays the only partition.
  AsyncSteps async;
  SnapshotReader snapshots;
  std::unique_ptr<Watchdog> watchdog;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONSTATE_H
