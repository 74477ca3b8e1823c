// SPDX-License-Identifier: Apache-2.0
#include "Access.h"
#include <algorithm>

using namespace smp::emulator;

static bool fits(const Shape &shape, const Access &access) {
  if (shape.mask != access.mask || shape.bytes != access.bytes)
    return false;
  const uint64_t from = access.at[access.first];
  uint64_t differ = 0;
  if (access.mask == kAllLanes) {
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      differ |= (access.at[lane] - from) ^ shape.apart[lane];
  } else {
    for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
      const uint32_t lane = __builtin_ctz(mask);
      differ |= (access.at[lane] - from) ^ shape.apart[lane];
    }
  }
  return differ == 0;
}

// A table of places by their address; neighbours have neighbouring entries.
static void findPlaces(Shape &shape) {
  constexpr uint32_t kEntries = 64;
  uint8_t entries[kEntries] = {}; // The number of a place and 1.
  const int shift = __builtin_ctz(shape.bytes);
  shape.places = 0;
  for (uint32_t mask = shape.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const uint64_t at = shape.apart[lane];
    uint32_t entry = static_cast<uint32_t>(at >> shift) % kEntries;
    while (entries[entry] &&
           shape.apart[__builtin_ctz(shape.lanes[entries[entry] - 1])] != at)
      entry = (entry + 1) % kEntries;
    if (!entries[entry]) {
      shape.lanes[shape.places++] = 0;
      entries[entry] = static_cast<uint8_t>(shape.places);
    }
    shape.lanes[entries[entry] - 1u] |= 1u << lane;
  }
}

static void findExtent(Shape &shape) {
  int64_t low = 0, high = 0;
  uint64_t odd = 0;
  uint32_t behind = 0; // Lanes that are where dense ones would be.
  const uint32_t first = __builtin_ctz(shape.mask);
  for (uint32_t mask = shape.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const auto apart = static_cast<int64_t>(shape.apart[lane]);
    low = std::min(low, apart);
    high = std::max(high, apart);
    odd |= shape.apart[lane] & (shape.bytes - 1);
    behind |= uint32_t(shape.apart[lane] == (lane - first) * shape.bytes)
              << lane;
  }
  shape.low = static_cast<uint64_t>(low);
  shape.span = static_cast<uint64_t>(high) - shape.low + shape.bytes;
  shape.even = odd == 0;
  const uint32_t run = shape.mask >> first;
  shape.dense = behind == shape.mask && !(run & (run + 1));
}

Shape &smp::emulator::shapeOf(const Warp &warp, const Instruction &instruction,
                              const Access &access) {
  Shape &shape = warp.block->shapes[instruction.access];
  if (fits(shape, access))
    return shape;
  shape = {};
  shape.mask = access.mask;
  shape.bytes = access.bytes;
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    shape.apart[lane] = access.at[lane] - access.at[access.first];
  }
  findPlaces(shape);
  findExtent(shape);
  return shape;
}
