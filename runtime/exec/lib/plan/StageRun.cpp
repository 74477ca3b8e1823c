// SPDX-License-Identifier: Apache-2.0
#include "StageRun.h"

namespace smp {

bool StageRun::run(uint32_t microbatch) {
  if (!acquirePlaces(microbatch))
    return false;
  if (!runCode(microbatch) || !handOut(microbatch))
    return false;
  for (Input &input : inputs)
    if (input.link)
      input.link->release(microbatch);
  return true;
}

void StageRun::beginStep(uint64_t epoch, uint32_t microbatches,
                         bool timeKernels, const std::vector<bool> &gathering) {
  kernelsTimed = timeKernels;
  stampsPerRun = timeKernels ? partition.code(stage).launches.size() + 1 : 2;
  if (stamps.size() < stampsPerRun * microbatches)
    stamps.resize(stampsPerRun * microbatches);
  inputViews.resize(inputs.size());
  outputViews.resize(outputs.size());
  for (Output &output : outputs)
    for (auto &drain : output.rankDrains)
      drain->beginStep(epoch, gathering);
}

BufferView StageRun::viewOf(const Output &output, uint32_t microbatch) const {
  if (output.slots)
    return output.slots->view(microbatch);
  return output.inPlace() ? output.drains[0]->view(microbatch)
                          : memory.view(output.place);
}

bool StageRun::acquirePlaces(uint32_t microbatch) {
  for (Output &output : outputs)
    for (Link *link : output.links)
      if (!link->acquire(microbatch))
        return false;
  return true;
}

bool StageRun::runCode(uint32_t microbatch) {
  Stream &stream = partition.stream();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].feed) {
      inputs[i].feed->fetch(stream, microbatch);
      inputViews[i] = inputs[i].feed->view(microbatch);
    } else {
      inputViews[i] = inputs[i].link->view(microbatch);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    outputViews[i] = viewOf(outputs[i], microbatch);
  uint64_t *stamp = stamps.data() + microbatch * stampsPerRun;
  const StageBinding binding{inputViews, outputViews};
  if (numerics) [[unlikely]]
    return numerics->run(microbatch, binding, {stamp, stampsPerRun});
  if (kernelsTimed) {
    partition.code(stage).run(stream, binding, stamp);
    return true;
  }
  stream.timestamp(stamp);
  partition.code(stage).run(stream, binding, nullptr);
  stream.timestamp(stamp + 1);
  return true;
}

bool StageRun::handOut(uint32_t microbatch) {
  Stream &stream = partition.stream();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Output &output = outputs[i];
    if (output.crosses)
      stream.record(output.slots->full(microbatch));
    for (size_t d = output.inPlace() ? 1 : 0; d < output.drains.size(); ++d)
      output.drains[d]->drain(stream, microbatch, outputViews[i]);
    for (auto &drain : output.rankDrains)
      if (!drain->drain(stream, microbatch, outputViews[i]))
        return false;
  }
  return true;
}

} // namespace smp
