// SPDX-License-Identifier: Apache-2.0
#include "Access.h"
#include <algorithm>

using namespace smp::emulator;

static bool isDense(const Access &access) {
  const uint32_t run = access.mask >> access.first;
  if (run & (run + 1))
    return false;
  const uint64_t base =
      access.at[access.first] - uint64_t(access.first) * access.bytes;
  uint64_t apart = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    apart |= (access.at[lane] ^ (base + uint64_t(lane) * access.bytes)) &
             (access.mask >> lane & 1 ? ~uint64_t(0) : 0);
  return apart == 0;
}

// A table of places by their address; neighbours have neighbouring entries.
void smp::emulator::findShape(Access &access) {
  access.dense = isDense(access);
  access.places = 0;
  if (access.dense)
    return;
  constexpr uint32_t kEntries = 64;
  uint8_t entries[kEntries] = {}; // The number of a place and 1.
  uint32_t last = 0;              // The place of the lane before.
  const int shift = __builtin_ctz(access.bytes);
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const uint64_t at = access.at[lane];
    if (lane && (access.mask >> (lane - 1) & 1) && access.at[lane - 1] == at) {
      access.lanes[last] |= 1u << lane;
      continue;
    }
    uint32_t entry = static_cast<uint32_t>(at >> shift) % kEntries;
    while (entries[entry] &&
           access.at[__builtin_ctz(access.lanes[entries[entry] - 1])] != at)
      entry = (entry + 1) % kEntries;
    if (!entries[entry]) {
      access.lanes[access.places++] = 0;
      entries[entry] = static_cast<uint8_t>(access.places);
    }
    last = entries[entry] - 1u;
    access.lanes[last] |= 1u << lane;
  }
}
