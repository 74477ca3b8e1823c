// SPDX-License-Identifier: Apache-2.0
// Running tiles of a kernel on the calling thread.

#ifndef SMP_DRIVERS_HOST_TILES_H
#define SMP_DRIVERS_HOST_TILES_H

#include "smp/drivers/host/HostImage.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace smp {

/// Round to nearest, no flush to zero, while it lives; then what was before.
class FloatControl {
public:
#if defined(__x86_64__)
  FloatControl() : before(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatControl() { _mm_setcsr(before); }

private:
  unsigned before;
#elif defined(__aarch64__)
  FloatControl() {
    asm volatile("mrs %0, fpcr" : "=r"(before));
    asm volatile("msr fpcr, %0" ::"r"(uint64_t(0)));
  }
  ~FloatControl() { asm volatile("msr fpcr, %0" ::"r"(before)); }

private:
  uint64_t before;
#endif
  FloatControl(const FloatControl &) = delete;
};

/// The fault of the first tile, in grid order, that had one. So what is
/// reported does not depend on the order in which tiles ran.
struct TileFault {
  uint32_t tile = ~0u; ///< ~0: none.
  smp_kernel_fault fault = {0, 0, 0, 0};

  explicit operator bool() const { return tile != ~0u; }
  void add(uint32_t where, const smp_kernel_fault &what) {
    if (where < tile) {
      tile = where;
      fault = what;
    }
  }
};

/// Runs tiles `first` to `first + count - 1` of the grid, x fastest. `scratch`
/// is the calling thread's.
void runTiles(const HostKernel &kernel, void *scratch, uint32_t first,
              uint32_t count, TileFault &faults);

} // namespace smp

#endif // SMP_DRIVERS_HOST_TILES_H
