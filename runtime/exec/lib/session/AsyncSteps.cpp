// SPDX-License-Identifier: Apache-2.0
#include "AsyncSteps.h"
#include "smp/device/Parking.h"
#include <atomic>
#include <mutex>
#include <optional>

namespace smp {

/// How many sizes a shape of that input has at most.
static size_t mostDimensions(const Entry *signature, std::string_view input) {
  if (signature)
    for (const EntryTensor &tensor : signature->inputs)
      if (tensor.name == input)
        return tensor.type.shape.size();
  return 0;
}

AsyncStep::AsyncStep(std::string_view entry, const Entry *signature,
                     std::span<const InputTensor> inputs,
                     const StepOptions &options, Done done)
    : entry(entry), inputs(inputs.begin(), inputs.end()),
      outputs(options.outputs.begin(), options.outputs.end()),
      microbatches(options.microbatches), done(std::move(done)) {
  names.reserve(this->inputs.size() + outputs.size());
  shapes.reserve(this->inputs.size());
  for (InputTensor &input : this->inputs) {
    names.emplace_back(input.name);
    input.name = names.back();
    const std::span<const int64_t> shape = input.tensor.shape;
    if (shape.size() > mostDimensions(signature, input.name))
      continue;
    shapes.emplace_back(shape.begin(), shape.end());
    input.tensor.shape = shapes.back();
  }
  for (OutputBinding &output : outputs) {
    names.emplace_back(output.name);
    output.name = names.back();
  }
}

struct AsyncSteps::Work {
  Work(Run run, std::shared_ptr<SessionLog> log)
      : run(std::move(run)), log(std::move(log)) {}

  void wake() {
    changes.fetch_add(1);
    unparkAll(changes);
  }

  /// Whether a step had been started.
  bool runNext() {
    std::optional<AsyncStep> step;
    {
      std::lock_guard<std::mutex> hold(lock);
      step.swap(next);
    }
    if (step)
      finish(step->done, run(*step));
    return step.has_value();
  }

  void finish(const AsyncStep::Done &done, StatusOr<StepOutput> output) {
    log->sayThrown(callApplication([&] { done(std::move(output)); }),
                   "the callback of an asynchronous step");
  }

  void main() {
    while (true) {
      const uint32_t seen = changes.load();
      const bool isLast = closing; // What was started before is seen below.
      if (runNext())
        continue;
      if (isLast)
        return;
      park(changes, seen);
    }
  }

  const Run run;
  const std::shared_ptr<SessionLog> log;
  std::mutex lock;                  // Of `next`.
  std::optional<AsyncStep> next;    // Started, and not yet taken.
  std::atomic<uint32_t> changes{0}; // The thread sleeps on it.
  std::atomic<bool> closing{false};
};

AsyncSteps::AsyncSteps(Run run, std::shared_ptr<SessionLog> log)
    : work(std::make_shared<Work>(std::move(run), std::move(log))) {}

Status AsyncSteps::start(AsyncStep step) {
  if (!isStarted) {
    SMP_ASSIGN_OR_RETURN(
        thread, Thread::start("smp async", [work = work] { work->main(); }));
    isStarted = true;
  }
  // Once the step is there, its `done` may end this object.
  const std::shared_ptr<Work> kept = work;
  {
    std::lock_guard<std::mutex> hold(kept->lock);
    kept->next = std::move(step);
  }
  kept->wake();
  return Status();
}

void AsyncSteps::finish() {
  work->closing = true;
  work->wake();
  if (thread && thread->isCurrent())
    while (work->runNext()) {
    }
  thread.reset();
}

} // namespace smp
