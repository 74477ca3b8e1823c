// SPDX-License-Identifier: Apache-2.0
// Devices made of cores of this machine.

#ifndef SMP_DRIVERS_CPU_CPUDRIVER_H
#define SMP_DRIVERS_CPU_CPUDRIVER_H

#include "smp/device/Device.h"

namespace smp {

/// Driver "cpu". A device is a set of cores with a pool of threads: those that
/// its settings list, as in "cpu:0=0-3" or "cpu:1=0,2,4-5", or else a fair
/// share of those that are left. Its memory is the host's. Its streams do the
/// work before the call that adds it returns, on the calling thread and the
/// pool. One stream of a device works at a time.
std::unique_ptr<Driver> makeCpuDriver();

} // namespace smp

#endif // SMP_DRIVERS_CPU_CPUDRIVER_H
