// SPDX-License-Identifier: Apache-2.0
// A program on devices: what the public Session is made of.

#ifndef SMP_EXEC_SESSIONCORE_H
#define SMP_EXEC_SESSIONCORE_H

#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include "smp/exec/StepObserver.h"
#include <optional>

namespace smp {

class DriverRegistry;
class RunnableProgram;
struct Program;

std::vector<EntrySignature> describeEntries(const Program &program);
std::vector<VariableSignature> describeVariables(const Program &program);

/// Room for the value of a variable.
struct VariableBytes {
  std::string_view name;
  std::span<std::byte> bytes; ///< As many as the value has.
};

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
  /// Copies several variables and how many steps were made; no step runs in
  /// between. Fails after a step that failed in its update.
  Status readSnapshot(std::span<const VariableBytes> variables,
                      StepCounts &steps);
  /// Sets several variables and the number of steps made. The first variable
  /// that is refused ends it: callers check names and types before.
  Status writeSnapshot(std::span<const InputTensor> variables,
                       const StepCounts &steps);
  uint32_t rankCount() const;
  /// The rank that holds each variable, in the order of variables(): that of
  /// the first partition that uses it, 0 where none does. A rank can get what
  /// it holds.
  std::vector<uint32_t> variableRanks() const;
  /// The first partition that uses each variable, in the order of variables();
  /// nothing where none does.
  std::vector<std::optional<uint32_t>> variablePartitions() const;
  /// Of the program.
  uint64_t fingerprint() const;
  /// Any thread may call it.
  void log(LogLevel level, std::string_view line);

  std::vector<EntrySignature> entries() const;
  std::vector<VariableSignature> variables() const;
  std::vector<DeviceMemory> memory() const;
  std::vector<StageTime> stageTimes() const;
  std::vector<KernelWork> kernelWork() const;
  LoadTime loadTime() const;

  struct State;

private:
  friend class RankMeeting;
  explicit SessionCore(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONCORE_H
