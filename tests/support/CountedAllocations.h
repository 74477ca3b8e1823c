// SPDX-License-Identifier: Apache-2.0
// Counts calls of the C library's allocator. For one file of a program.

#ifndef SMP_TESTS_SUPPORT_COUNTEDALLOCATIONS_H
#define SMP_TESTS_SUPPORT_COUNTEDALLOCATIONS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace smp::test {

inline std::atomic<uint64_t> allocations{0};          // Of all threads.
inline thread_local uint64_t allocationsOfThread = 0; // Of this one.

inline void countAllocation() {
  ++allocations;
  ++allocationsOfThread;
}

} // namespace smp::test

#pragma GCC visibility push(default) // Seen by the C++ library.
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *data, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

void *malloc(size_t bytes) {
  smp::test::countAllocation();
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  smp::test::countAllocation();
  return __libc_calloc(count, bytes);
}
void *realloc(void *data, size_t bytes) {
  smp::test::countAllocation();
  return __libc_realloc(data, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  smp::test::countAllocation();
  return __libc_memalign(align, bytes);
}
}
#pragma GCC visibility pop

#endif // SMP_TESTS_SUPPORT_COUNTEDALLOCATIONS_H
