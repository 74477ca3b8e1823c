// SPDX-License-Identifier: Apache-2.0
// All that an open Session holds.

#ifndef SMP_EXEC_SESSIONSTATE_H
#define SMP_EXEC_SESSIONSTATE_H

#include "Crew.h"
#include "EntryState.h"
#include "Observers.h"
#include "Pace.h"
#include "UpdateGate.h"
#include "VariableStore.h"
#include "Watchdog.h"
#include "smp/exec/SessionCore.h"
#include <thread>

namespace smp {

/// A stage of an entry on this rank and what its runs took so far.
struct MeasuredStage {
  StageRun *run;
  EntryState *entry;
  double seconds = 0;
  uint64_t runs = 0;
};

/// A step that was asked for with stepAsync().
struct AsyncStep {
  std::string entry;
  std::vector<std::string> names; // Of inputs, then of outputs.
  std::vector<Shape> shapes;
  std::vector<InputTensor> inputs;
  std::vector<OutputBinding> outputs;
  uint32_t microbatches = 0;
  std::function<void(StatusOr<StepOutput>)> done;
};

struct SessionCore::State {
  State(std::shared_ptr<RunnableProgram> program, SessionOptions options,
        std::unique_ptr<DriverRegistry> drivers);
  ~State();

  const Program &program() const { return runnable->program(); }
  void log(LogLevel level, std::string_view line);
  Communicator *communicator() const { return options.communicator; }

  // Steps.
  Status enter();
  void leave() { busy = false; }
  StatusOr<StepOutput> step(std::string_view name,
                            std::span<const InputTensor> inputs,
                            const StepOptions &stepOptions);
  Status runStep(EntryState &entry, uint64_t step);
  Status play(EntryState &entry);
  StatusOr<EntryState *> findEntry(std::string_view name);
  Status refresh();
  Status checkSound() const;
  Status putStatesBack();
  void markUnsound();
  void measure(EntryState &entry);
  Status observe(const EntryState &entry);
  void profile(EntryState &entry);
  void wakeAll(const Status &why);
  void expired(uint64_t step);
  Status endStep();
  uint64_t progress() const;
  uint64_t epochOf(uint64_t step) const { return firstEpoch + step; }
  std::string describeWaits() const;

  // Steps on a thread of their own.
  Status startAsync(AsyncStep step);
  void asyncMain();

  StatusOr<uint32_t> findVariable(std::string_view name) const;
  Status setVariable(std::string_view name, const TensorView &value);
  Status getVariable(std::string_view name, std::span<std::byte> bytes);

  std::shared_ptr<RunnableProgram> runnable;
  SessionOptions options;
  std::unique_ptr<DriverRegistry> drivers;
  std::mutex logLock;
  VariableStore variables;
  StepControl control;
  UpdateGate gate;
  Pace pace;
  /// By variable: it may have the value of a step that failed.
  std::vector<bool> unsound;
  std::vector<uint32_t> ranks;                        // By partition.
  std::vector<std::unique_ptr<Partition>> partitions; // Null: elsewhere.
  std::vector<std::unique_ptr<EntryMemory>> memories; // By partition.
  /// By partition; empty when numerics are not checked.
  std::vector<std::unique_ptr<NumericsPieces>> pieces;
  std::vector<std::unique_ptr<EntryState>> entries;
  std::vector<std::unique_ptr<Executor>> executors; // Of this rank.
  std::vector<MeasuredStage> measured;
  std::vector<ProfileSpan> spans;
  Observers observers;
  LoadTime loadTime;
  uint32_t forks = forkGeneration();
  uint64_t firstEpoch = 0;
  bool variablesChanged = false;
  bool played = false;      // Whether the step came to its action lists.
  bool mustPutBack = false; // It failed after that and before its update.

  std::atomic<bool> busy{false}, stopRequested{false};
  std::atomic<EntryState *> running{nullptr}; // For wakeAll() and reports.
  std::atomic<bool> missedDeadline{false};
  std::mutex reportLock; // Held while a missed deadline is reported.

  std::mutex asyncLock;
  std::atomic<uint32_t> asyncWork{0}; // The async thread sleeps on it.
  std::optional<AsyncStep> asyncStep;
  std::atomic<bool> closing{false};

  // Threads end first.
  std::unique_ptr<Crew> crew; // Null: the caller plays the only partition.
  std::unique_ptr<Thread> asyncThread;
  std::unique_ptr<Watchdog> watchdog;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONSTATE_H
