// SPDX-License-Identifier: Apache-2.0
#include "SessionState.h"

namespace smp {

using State = SessionCore::State;

static AsyncStep keep(std::string_view entry,
                      std::span<const InputTensor> inputs,
                      const StepOptions &options,
                      std::function<void(StatusOr<StepOutput>)> done) {
  AsyncStep step;
  step.entry = std::string(entry);
  step.microbatches = options.microbatches;
  step.done = std::move(done);
  step.inputs.assign(inputs.begin(), inputs.end());
  step.outputs.assign(options.outputs.begin(), options.outputs.end());
  step.names.reserve(step.inputs.size() + step.outputs.size());
  step.shapes.reserve(step.inputs.size());
  for (InputTensor &input : step.inputs) {
    step.names.emplace_back(input.name);
    input.name = step.names.back();
    const std::span<const int64_t> shape = input.tensor.shape;
    step.shapes.emplace_back(shape.begin(), shape.end());
    input.tensor.shape = step.shapes.back();
  }
  for (OutputBinding &output : step.outputs) {
    step.names.emplace_back(output.name);
    output.name = step.names.back();
  }
  return step;
}

Status SessionCore::stepAsync(std::string_view entry,
                              std::span<const InputTensor> inputs,
                              const StepOptions &options,
                              std::function<void(StatusOr<StepOutput>)> done) {
  SMP_RETURN_IF_ERROR(state->enter());
  Status status =
      state->startAsync(keep(entry, inputs, options, std::move(done)));
  if (!status.ok())
    state->leave();
  return status;
}

/// The Session stays entered until the step is done.
Status State::startAsync(AsyncStep step) {
  if (!asyncThread) {
    auto thread = Thread::start("smp async", [this] { asyncMain(); });
    if (!thread.ok())
      return thread.status();
    asyncThread = thread.take();
  }
  {
    std::lock_guard<std::mutex> hold(asyncLock);
    asyncStep = std::move(step);
  }
  asyncWork.fetch_add(1);
  unparkAll(asyncWork);
  return Status();
}

void State::asyncMain() {
  while (true) {
    const uint32_t seen = asyncWork.load();
    std::optional<AsyncStep> next;
    {
      std::lock_guard<std::mutex> hold(asyncLock);
      next.swap(asyncStep);
    }
    if (next) {
      StatusOr<StepOutput> output =
          step(next->entry, next->inputs, {next->microbatches, next->outputs});
      leave();
      next->done(std::move(output));
    } else if (closing) {
      return;
    } else {
      park(asyncWork, seen);
    }
  }
}

} // namespace smp
