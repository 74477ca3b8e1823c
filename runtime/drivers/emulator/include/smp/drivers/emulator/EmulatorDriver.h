// SPDX-License-Identifier: Apache-2.0
// GPUs that are emulated.

#ifndef SMP_DRIVERS_EMULATOR_EMULATORDRIVER_H
#define SMP_DRIVERS_EMULATOR_EMULATORDRIVER_H

#include "smp/device/Device.h"

namespace smp {

/// Driver "cuda-emulator": the driver "cuda", but over libsmp-cuda-emulator.so
/// in libcuda's place, which runs the same PTX on the CPU and reports what is
/// wrong with it. The library is looked for as the loader does, then beside the
/// object that this is in, then in the folder lib next to that one. The seed of
/// its choices is said to the log.
std::unique_ptr<Driver> makeEmulatorDriver();

} // namespace smp

#endif // SMP_DRIVERS_EMULATOR_EMULATORDRIVER_H
