// SPDX-License-Identifier: Apache-2.0
// Dividing the machine's cores among devices.

#ifndef SMP_DRIVERS_CPU_RESOLVECORES_H
#define SMP_DRIVERS_CPU_RESOLVECORES_H

#include "smp/base/Log.h"
#include "smp/device/Cores.h"
#include "smp/device/DeviceSpec.h"

namespace smp {

/// The cores of each device of a process, ascending. Specs that list none
/// share, evenly and in order, the cores that no list names (all when lists
/// name all), as far as they are usable; one thread of each physical core while
/// these are enough. A core outside `allowed` is an error; one that two devices
/// use is said to `log`.
StatusOr<std::vector<std::vector<uint32_t>>>
resolveCores(std::span<const DeviceSpec> specs, const AllowedCores &allowed,
             const LogSink &log);

} // namespace smp

#endif // SMP_DRIVERS_CPU_RESOLVECORES_H
