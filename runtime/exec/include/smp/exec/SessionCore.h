// SPDX-License-Identifier: Apache-2.0
// A program on devices: what the public Session is made of.

#ifndef SMP_EXEC_SESSIONCORE_H
#define SMP_EXEC_SESSIONCORE_H

#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include "smp/exec/StepObserver.h"
#include <optional>

namespace smp {

class Communicator;
class DriverRegistry;
class RunnableProgram;
class IncomingValues;
struct Program;

std::vector<EntrySignature> describeEntries(const Program &program);
std::vector<VariableSignature> describeVariables(const Program &program);

/// See smp/runtime/Session.h for what each call promises.
class SessionCore {
public:
  static StatusOr<std::unique_ptr<SessionCore>>
  open(std::shared_ptr<RunnableProgram> program, SessionOptions options,
       std::unique_ptr<DriverRegistry> drivers);
  ~SessionCore();

  StatusOr<StepOutput> step(std::string_view entry,
                            std::span<const InputTensor> inputs,
                            const StepOptions &options);
  Status stepAsync(std::string_view entry, std::span<const InputTensor> inputs,
                   const StepOptions &options,
                   std::function<void(StatusOr<StepOutput>)> done);
  void requestStop();
  void clearStop();

  Status setVariable(std::string_view name, const TensorView &value);
  Status getVariable(std::string_view name, std::span<std::byte> bytes);

  Status addObserver(std::weak_ptr<StepObserver> observer,
                     OnObserverError onError);
  /// How many steps were made; asked between two.
  StepCounts steps() const;
  /// For how long updates have waited for snapshots to be read.
  double heldSeconds() const;
  /// Sets several variables and the number of steps made. Those `elsewhere` are
  /// set by other ranks, and can be got there alone.
  Status writeSnapshot(IncomingValues values,
                       std::span<const std::string_view> elsewhere,
                       const StepCounts &steps);
  uint32_t rank() const;
  uint32_t rankCount() const;
  /// For what the ranks tell each other beside steps; null: there is one rank.
  /// See Communicator::openLane().
  std::unique_ptr<Communicator> openLane();
  /// The same, which the Session keeps: an observer that the Session calls may
  /// borrow it.
  SMP_API Communicator *openKeptLane();
  /// SessionOptions::deadlineSeconds.
  SMP_API double deadlineSeconds() const;
  /// The rank that holds each variable, in the order of variables(): that of
  /// the first partition that uses it, 0 where none does. A rank can get what
  /// it holds.
  std::vector<uint32_t> variableRanks() const;
  /// Whether this rank needs each variable: it holds it, or a partition of it
  /// uses it. In the order of variables().
  std::vector<bool> variablesNeeded() const;
  /// The first partition that uses each variable, in the order of variables();
  /// nothing where none does.
  std::vector<std::optional<uint32_t>> variablePartitions() const;
  /// What it runs.
  const std::shared_ptr<RunnableProgram> &program() const;
  /// Of the program.
  uint64_t fingerprint() const;
  /// Any thread may call it.
  SMP_API void log(LogLevel level, std::string_view line);

  std::vector<EntrySignature> entries() const;
  std::vector<VariableSignature> variables() const;
  std::vector<DeviceMemory> memory() const;
  std::vector<StageTime> stageTimes() const;
  std::vector<KernelWork> kernelWork() const;
  LoadTime loadTime() const;

  struct State;

private:
  friend class VariableSnapshot;
  friend class IncomingValues;
  explicit SessionCore(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONCORE_H
