// SPDX-License-Identifier: Apache-2.0
// Devices made of cores of this machine.

#ifndef SMP_DRIVERS_CPU_CPUDRIVER_H
#define SMP_DRIVERS_CPU_CPUDRIVER_H

#include "smp/device/Device.h"

namespace smp {

/// Driver "cpu". A device is a set of cores with a pool of threads; its memory
/// is the host's. Its streams do the work before the call that adds it returns,
/// on the calling thread and the pool. One stream of a device works at a time.
std::unique_ptr<Driver> makeCpuDriver();

} // namespace smp

#endif // SMP_DRIVERS_CPU_CPUDRIVER_H
