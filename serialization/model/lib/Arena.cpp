// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Arena.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace smp {

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

bool isArena(std::span<const LiveBuffer> buffers, uint64_t bytes) {
  // What begins at a step, and behind that what ended before the step.
  std::map<uint32_t, std::vector<const LiveBuffer *>> begins, ends;
  for (const LiveBuffer &buffer : buffers) {
    if (buffer.offset % kArenaAlignment || buffer.offset > bytes ||
        bytes - buffer.offset < buffer.bytes)
      return false;
    begins[buffer.first].push_back(&buffer);
    ends[buffer.last].push_back(&buffer);
  }
  std::map<uint64_t, uint64_t> alive; // End, by offset.
  auto end = ends.begin();
  for (const auto &[step, starting] : begins) {
    for (; end != ends.end() && end->first < step; ++end)
      for (const LiveBuffer *buffer : end->second)
        if (buffer->bytes)
          alive.erase(buffer->offset);
    for (const LiveBuffer *buffer : starting) {
      if (!buffer->bytes)
        continue;
      auto next = alive.lower_bound(buffer->offset);
      if ((next != alive.end() &&
           next->first < buffer->offset + buffer->bytes) ||
          (next != alive.begin() && std::prev(next)->second > buffer->offset))
        return false;
      alive[buffer->offset] = buffer->offset + buffer->bytes;
    }
  }
  return true;
}

} // namespace smp
