// SPDX-License-Identifier: Apache-2.0
// What devices count of kernels.

#ifndef SMP_DEVICE_KERNELCOUNTS_H
#define SMP_DEVICE_KERNELCOUNTS_H

#include <cstdint>

namespace smp {

/// Of all launches of a kernel that are done.
struct KernelCounts {
  uint64_t launches = 0;
  uint64_t threadInstructions = 0;
  /// 32 bytes of the device's memory each; an access of a warp moves each
  /// sector that it touches once.
  uint64_t sectorsRead = 0, sectorsWritten = 0;
  /// Turns that accesses to shared memory took because words lay in one bank.
  uint64_t bankConflicts = 0;
};

} // namespace smp

#endif // SMP_DEVICE_KERNELCOUNTS_H
