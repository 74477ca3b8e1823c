// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Stream.h"

namespace smp {

void Stream::launchSequence(std::span<const LaunchCall> calls,
                            uint64_t *times) {
  if (times)
    timestamp(times++);
  for (const LaunchCall &call : calls) {
    launch(*call.kernel, call.buffers, *call.info);
    if (times)
      timestamp(times++);
  }
}

} // namespace smp
