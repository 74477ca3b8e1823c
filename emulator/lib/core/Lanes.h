// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_CORE_LANES_H
#define SMP_EMULATOR_CORE_LANES_H

#include "Warp.h"
#include <cstring>

namespace smp::emulator {

/// A value of each lane.
template <typename T>
struct Lanes {
  alignas(64) T at[kLanes];
};

inline const std::byte *place(const Warp &warp, Ref ref) {
  return warp.bank[ref.offset >> 31] + (ref.offset & ~kConstantBank);
}

template <typename T>
Lanes<T> read(const Warp &warp, Ref ref) {
  Lanes<T> lanes;
  std::memcpy(lanes.at, place(warp, ref), sizeof(lanes.at));
  return lanes;
}

/// The lanes of `ref` that have a value.
inline uint32_t known(const Warp &warp, Ref ref) {
  return warp.known[ref.slot];
}

/// Gives the lanes of `mask` their values, which lanes of `defined` have.
template <typename T>
void write(Warp &warp, Ref ref, const Lanes<T> &lanes, uint32_t mask,
           uint32_t defined = kAllLanes) {
  std::byte *to = const_cast<std::byte *>(place(warp, ref));
  if (mask == kAllLanes) {
    std::memcpy(to, lanes.at, sizeof(lanes.at));
  } else {
    Lanes<T> old;
    std::memcpy(old.at, to, sizeof(old.at));
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      old.at[lane] = mask >> lane & 1 ? lanes.at[lane] : old.at[lane];
    std::memcpy(to, old.at, sizeof(old.at));
  }
  uint32_t &slot = warp.known[ref.slot];
  slot = (slot & ~mask) | (defined & mask);
}

/// A predicate is a bit per lane.
inline uint32_t readPredicate(const Warp &warp, Ref ref) {
  uint32_t bits;
  std::memcpy(&bits, place(warp, ref), sizeof(bits));
  return bits;
}

inline void writePredicate(Warp &warp, Ref ref, uint32_t bits, uint32_t mask,
                           uint32_t defined = kAllLanes) {
  const uint32_t made = (readPredicate(warp, ref) & ~mask) | (bits & mask);
  std::memcpy(const_cast<std::byte *>(place(warp, ref)), &made, sizeof(made));
  uint32_t &slot = warp.known[ref.slot];
  slot = (slot & ~mask) | (defined & mask);
}

} // namespace smp::emulator

#endif // SMP_EMULATOR_CORE_LANES_H
