// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_CORE_SHAPE_H
#define SMP_EMULATOR_CORE_SHAPE_H

#include "Program.h"

namespace smp::emulator {

/// Global memory moves sectors of so many bytes.
inline constexpr uint32_t kSector = 32;

/// Where the lanes of an access are, seen from its first lane, and what follows
/// from that alone. An instruction mostly has the same shape each time, so that
/// it is kept. All 0: of no access.
struct Shape {
  uint32_t mask;          ///< The lanes.
  uint32_t bytes;         ///< Of a lane.
  uint64_t apart[kLanes]; ///< From the first lane to each of `mask`.
  uint32_t places;        ///< How many different ones there are,
  uint32_t lanes[kLanes]; ///< and the lanes that are at each.
  uint64_t low;           ///< From the first lane to the lowest place.
  uint64_t span;          ///< From there to the end of the highest.
  bool even;              ///< All places are multiples of `bytes` apart.
  bool dense; ///< Lanes without a gap, each right behind the one before.
  /// What the access takes, by the byte of a sector that the first lane is at.
  struct Cost {
    uint8_t sectors; ///< 0: not known yet.
    uint8_t conflicts;
  } costs[kSector];
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_CORE_SHAPE_H
