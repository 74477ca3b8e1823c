// SPDX-License-Identifier: Apache-2.0
// The drivers of this build.

#ifndef SMP_DRIVERS_REGISTERDRIVERS_H
#define SMP_DRIVERS_REGISTERDRIVERS_H

#include "smp/device/Device.h"

namespace smp {

/// Adds every driver that was built in. Starts no thread.
void registerDrivers(DriverRegistry &registry);

} // namespace smp

#endif // SMP_DRIVERS_REGISTERDRIVERS_H
