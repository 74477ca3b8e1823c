// SPDX-License-Identifier: Apache-2.0
// Memory from the application.

#ifndef SMP_DEVICE_HOSTALLOCATOR_H
#define SMP_DEVICE_HOSTALLOCATOR_H

#include <cstddef>

namespace smp {

/// Where host memory of a device comes from when the application wants a say:
/// both functions are there, or neither.
struct HostAllocator {
  /// Returns memory at a multiple of `align`, a power of two, or null when
  /// there is none. What it throws is an error, too.
  void *(*allocate)(void *user, size_t bytes, size_t align) = nullptr;
  void (*release)(void *user, void *data, size_t bytes) = nullptr;
  void *user = nullptr;
};

} // namespace smp

#endif // SMP_DEVICE_HOSTALLOCATOR_H
