// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/emulator/EmulatorDriver.h"
#include "smp/drivers/cuda/CudaDriver.h"

namespace smp {

std::unique_ptr<Driver> makeEmulatorDriver() {
  return makeCudaDriver("cuda-emulator", "libsmp-cuda-emulator.so");
}

} // namespace smp
