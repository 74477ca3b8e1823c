// SPDX-License-Identifier: Apache-2.0
// Steps on a thread of their own.

#ifndef SMP_EXEC_ASYNCSTEPS_H
#define SMP_EXEC_ASYNCSTEPS_H

#include "SessionLog.h"
#include "smp/base/Thread.h"
#include "smp/exec/SessionTypes.h"
#include "smp/serialization/Program.h"

namespace smp {

/// A step that was asked for, with what it was asked for kept; not the bytes of
/// tensors, nor the sizes of one that has more dimensions than that input of
/// the entry has: nobody knows what is there, and the step only says how many.
class AsyncStep {
public:
  using Done = std::function<void(StatusOr<StepOutput>)>;
  /// `signature` is null where there is no such entry.
  AsyncStep(std::string_view entry, const Entry *signature,
            std::span<const InputTensor> inputs, const StepOptions &options,
            Done done);
  AsyncStep(AsyncStep &&) = default;
  AsyncStep &operator=(AsyncStep &&) = default;

  std::string entry;
  std::vector<InputTensor> inputs;
  std::vector<OutputBinding> outputs;
  uint32_t microbatches;
  Done done;

private:
  std::vector<std::string> names; // Of inputs, then of outputs.
  std::vector<Shape> shapes;
};

/// Runs one step after the other; the thread starts with the first.
class AsyncSteps {
public:
  using Run = std::function<StatusOr<StepOutput>(const AsyncStep &)>;
  /// `run` is called on the thread, and then the step's `done`. `log` hears of
  /// what `done` throws.
  AsyncSteps(Run run, std::shared_ptr<SessionLog> log);
  ~AsyncSteps() { finish(); }

  /// Nobody calls it before the step before is done.
  Status start(AsyncStep step);
  /// Waits until a step that was started is done, and ends the thread. `done`
  /// may call it: then a step that it has started is done here and now, and the
  /// thread ends when `done` returns, without another look at this object.
  void finish();

private:
  struct Work;
  std::shared_ptr<Work> work; // The thread has it too, to its end.
  std::unique_ptr<Thread> thread;
  /// Not asked of `thread`, which finish() ends while `done` starts a step.
  bool isStarted = false;
};

} // namespace smp

#endif // SMP_EXEC_ASYNCSTEPS_H
