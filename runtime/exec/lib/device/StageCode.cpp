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

void StageCode::launch(Stream &stream, size_t number) {
  stream.launch(*launches[number].kernel, viewsOf(number),
                launches[number].info);
}

void StageCode::run(Stream &stream, const StageBinding &binding,
                    uint64_t *times) {
  bind(binding);
  if (times)
    stream.timestamp(times++);
  for (size_t i = 0; i < launches.size(); ++i) {
    launch(stream, i);
    if (times)
      stream.timestamp(times++);
  }
}

} // namespace smp
