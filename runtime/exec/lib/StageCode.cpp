// SPDX-License-Identifier: Apache-2.0
#include "StageCode.h"

namespace smp {

void StageCode::run(Stream &stream, const StageBinding &binding,
                    uint64_t *times) {
  for (const Patch &patch : patches)
    views[patch.view] = patch.isOutput ? binding.outputs[patch.index]
                                       : binding.inputs[patch.index];
  if (times)
    stream.timestamp(times++);
  for (const Launch &launch : launches) {
    stream.launch(*launch.kernel,
                  std::span<const BufferView>(views).subspan(launch.firstView,
                                                             launch.numViews),
                  launch.info);
    if (times)
      stream.timestamp(times++);
  }
}

} // namespace smp
