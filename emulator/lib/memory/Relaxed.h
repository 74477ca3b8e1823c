// SPDX-License-Identifier: Apache-2.0
// Accesses to what threads of the host share: emulated global memory, and what
// is known of its bytes. Whatever kernels do, they read something old or new,
// and the host has no race.
#ifndef SMP_EMULATOR_MEMORY_RELAXED_H
#define SMP_EMULATOR_MEMORY_RELAXED_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace smp::emulator {

/// The value at an address that is a multiple of its size.
template <typename T>
T loadRelaxed(const void *from) {
  T *place = static_cast<T *>(const_cast<void *>(from));
  return std::atomic_ref<T>(*place).load(std::memory_order_relaxed);
}

template <typename T>
void storeRelaxed(void *to, T value) {
  std::atomic_ref<T>(*static_cast<T *>(to))
      .store(value, std::memory_order_relaxed);
}

/// Whether `count` bytes have all these bits.
bool haveAll(const uint8_t *at, uint64_t count, uint8_t bits);

/// Makes `count` bytes `value`.
void setAll(uint8_t *at, uint64_t count, uint8_t value);

/// Copies `count` bytes out of shared memory, and into it.
void copyOutRelaxed(void *to, const void *from, uint64_t count);
void copyInRelaxed(void *to, const void *from, uint64_t count);
/// Within shared memory; the two do not overlap.
void copyWithinRelaxed(void *to, const void *from, uint64_t count);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MEMORY_RELAXED_H
