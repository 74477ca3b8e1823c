// SPDX-License-Identifier: Apache-2.0
// Buffers are rectangles, as wide as the steps at which they are alive and as
// high as they are large; they are laid into a strip of least height. The
// largest is laid first, each as low as it can lie beside those that it meets.
//
// Of A (4 units, steps 0 to 1), B (2 units, 1 to 2) and C (3 units, 2 to 3):
//
//   unit 5   .  B  B  .      A lies at 0. C never meets A and lies at 0 too. B
//   unit 4   .  B  B  .      meets both, and the lowest gap that it fits is
//   unit 3   A  A  .  .      above A: 6 units, which is what A and B need when
//   units 0  A  A  C  C      they are alive together.
//
// Whether a plan holds is asked by walking the steps with the buffers that are
// alive in order of their offsets: neighbours alone can overlap.
#include "smp/model/Arena.h"
#include "smp/model/Alignment.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace smp {

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
    uint64_t bytes = alignUp(buffer.bytes), offset = 0;
    for (const LiveBuffer *other : placed) {
      if (other->last < buffer.first || buffer.last < other->first)
        continue;
      if (offset + bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + alignUp(other->bytes));
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
    if (buffer.offset % kDeviceAlignment || buffer.offset > bytes ||
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
