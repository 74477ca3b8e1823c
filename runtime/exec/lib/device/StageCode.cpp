// SPDX-License-Identifier: Apache-2.0
#include "StageCode.h"

namespace smp {

void StageCode::bind(const StageBinding &binding) {
  for (const Patch &patch : patches) {
    const BufferView &place = patch.isOutput ? binding.outputs[patch.index]
                                             : binding.inputs[patch.index];
    views[patch.view].buffer = place.buffer;
    views[patch.view].offset = place.offset;
  }
}

std::span<const BufferView> StageCode::viewsOf(size_t number) const {
  return std::span<const BufferView>(views).subspan(launches[number].firstView,
                                                    launches[number].numViews);
}

void StageCode::seal() {
  calls.clear();
  for (size_t i = 0; i < launches.size(); ++i)
    calls.push_back({launches[i].kernel, viewsOf(i), &launches[i].info});
}

void StageCode::launch(Stream &stream, size_t number) {
  stream.launchSequence({&calls[number], 1}, nullptr);
}

void StageCode::run(Stream &stream, const StageBinding &binding,
                    uint64_t *times) {
  bind(binding);
  stream.launchSequence(calls, times);
}

} // namespace smp
