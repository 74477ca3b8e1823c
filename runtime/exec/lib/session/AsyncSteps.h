// SPDX-License-Identifier: Apache-2.0
// Steps on a thread of their own.

#ifndef SMP_EXEC_ASYNCSTEPS_H
#define SMP_EXEC_ASYNCSTEPS_H

#include "smp/device/Thread.h"
#include "smp/exec/SessionTypes.h"
#include <atomic>
#include <mutex>
#include <optional>

namespace smp {

/// A step that was asked for, with what it was asked for kept; not the bytes of
/// tensors.
class AsyncStep {
public:
  using Done = std::function<void(StatusOr<StepOutput>)>;
  AsyncStep(std::string_view entry, std::span<const InputTensor> inputs,
            const StepOptions &options, Done done);
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
  /// `run` is called on the thread, and then the step's `done`.
  explicit AsyncSteps(Run run) : run(std::move(run)) {}
  ~AsyncSteps() { finish(); }

  /// Nobody calls it before the step before is done.
  Status start(AsyncStep step);
  /// Waits until a step that was started is done, and ends the thread; so not
  /// to be called by `done`.
  void finish();

private:
  void main();
  void wake();

  Run run;
  std::mutex lock;               // Of `next`.
  std::optional<AsyncStep> next; // Started, and not yet taken.
  std::atomic<uint32_t> work{0}; // The thread sleeps on it.
  std::atomic<bool> closing{false};
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_EXEC_ASYNCSTEPS_H
