// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/host/Tiles.h"

namespace smp {

void runTiles(const HostKernel &kernel, void *scratch, uint32_t first,
              uint32_t count, TileFault &faults) {
  smp_kernel_fault fault = {0, 0, 0, 0};
  const smp_kernel_args args = {kernel.buffers.data(), scratch, &fault};
  uint32_t x = first % kernel.grid[0];
  uint32_t y = first / kernel.grid[0] % kernel.grid[1];
  uint32_t z = first / kernel.grid[0] / kernel.grid[1];
  for (uint32_t tile = first; tile < first + count; ++tile) {
    kernel.tile(&args, x, y, z);
    if (fault.code != 0) [[unlikely]] {
      faults.add(tile, fault);
      fault = {0, 0, 0, 0};
    }
    if (++x < kernel.grid[0])
      continue;
    x = 0;
    if (++y == kernel.grid[1]) {
      y = 0;
      ++z;
    }
  }
}

} // namespace smp
