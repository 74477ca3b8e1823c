// SPDX-License-Identifier: Apache-2.0
// Where things begin in memory of a device.

#ifndef SMP_MODEL_ALIGNMENT_H
#define SMP_MODEL_ALIGNMENT_H

#include <cstdint>

namespace smp {

/// What lies in memory of a device begins at a multiple of so many bytes: the
/// widest vector of a level, and a line of the cache.
inline constexpr uint64_t kDeviceAlignment = 64;

/// The least multiple of kDeviceAlignment that so many bytes fit in: behind
/// them, the next thing begins.
constexpr uint64_t alignUp(uint64_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

} // namespace smp

#endif // SMP_MODEL_ALIGNMENT_H
