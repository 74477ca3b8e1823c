// SPDX-License-Identifier: Apache-2.0
// Memory from the application.

#ifndef SMP_DEVICE_HOSTALLOCATOR_H
#define SMP_DEVICE_HOSTALLOCATOR_H

#include <cstddef>

namespace smp {

/// Where host memory comes from when the application has both functions.
struct HostAllocator {
  /// At a multiple of `align`, a power of two. Null, or a throw: there is none.
  void *(*allocate)(void *user, size_t bytes, size_t align) = nullptr;
  void (*release)(void *user, void *data, size_t bytes) = nullptr;
  void *user = nullptr;
};

} // namespace smp

#endif // SMP_DEVICE_HOSTALLOCATOR_H
