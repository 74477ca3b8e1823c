// SPDX-License-Identifier: Apache-2.0
#include "AsyncSteps.h"
#include "smp/device/Parking.h"

namespace smp {

AsyncStep::AsyncStep(std::string_view entry,
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
    shapes.emplace_back(shape.begin(), shape.end());
    input.tensor.shape = shapes.back();
  }
  for (OutputBinding &output : outputs) {
    names.emplace_back(output.name);
    output.name = names.back();
  }
}

Status AsyncSteps::start(AsyncStep step) {
  if (!thread) {
    auto started = Thread::start("smp async", [this] { main(); });
    if (!started.ok())
      return started.status();
    thread = started.take();
  }
  {
    std::lock_guard<std::mutex> hold(lock);
    next = std::move(step);
  }
  wake();
  return Status();
}

void AsyncSteps::finish() {
  closing = true;
  wake();
  thread.reset();
}

void AsyncSteps::wake() {
  work.fetch_add(1);
  unparkAll(work);
}

void AsyncSteps::main() {
  while (true) {
    const uint32_t seen = work.load();
    std::optional<AsyncStep> step;
    {
      std::lock_guard<std::mutex> hold(lock);
      step.swap(next);
    }
    if (step)
      step->done(run(*step));
    else if (closing)
      return;
    else
      park(work, seen);
  }
}

} // namespace smp
