// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/export/MemoryPlan.h"
#include <algorithm>
#include <numeric>

namespace smp::codegen {

static uint64_t aligned(uint64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

uint64_t planArena(std::span<LiveBuffer> buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  uint64_t size = 0;
  std::vector<const LiveBuffer *> placed; // By offset.
  for (size_t number : order) {
    LiveBuffer &buffer = buffers[number];
    uint64_t bytes = aligned(buffer.bytes), offset = 0;
    for (const LiveBuffer *other : placed) {
      if (other->last < buffer.first || buffer.last < other->first)
        continue;
      if (offset + bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + aligned(other->bytes));
    }
    buffer.offset = offset;
    size = std::max(size, offset + bytes);
    auto behind = std::upper_bound(placed.begin(), placed.end(), offset,
                                   [](uint64_t value, const LiveBuffer *other) {
                                     return value < other->offset;
                                   });
    placed.insert(behind, &buffer);
  }
  return size;
}

} // namespace smp::codegen
