// SPDX-License-Identifier: Apache-2.0
// Static placement of buffers in an arena.

#ifndef SMP_MODEL_ARENA_H
#define SMP_MODEL_ARENA_H

#include <cstdint>
#include <span>
#include <vector>

namespace smp {

/// A buffer and the steps during which it is alive, both ends included.
struct LiveBuffer {
  uint64_t bytes = 0;
  uint32_t first = 0, last = 0;
  uint64_t offset = 0; ///< The answer: a multiple of kDeviceAlignment.
};

/// Gives each buffer an offset such that buffers alive at the same step do not
/// overlap. Largest first, each at the lowest gap that fits it: within a few
/// percent of the peak on real graphs. Returns the size of the arena.
/// O(buffers^2). Deterministic.
uint64_t planArena(std::span<LiveBuffer> buffers);

/// Whether all buffers lie in an arena of that size, each at a multiple of
/// kDeviceAlignment, and none that are alive at the same step overlap.
/// O(buffers log(buffers)).
bool isArena(std::span<const LiveBuffer> buffers, uint64_t bytes);

} // namespace smp

#endif // SMP_MODEL_ARENA_H
