// SPDX-License-Identifier: Apache-2.0
// A device that is late on purpose.

#ifndef SMP_DRIVERS_NULL_NULLDRIVER_H
#define SMP_DRIVERS_NULL_NULLDRIVER_H

#include "smp/device/Device.h"

namespace smp {

/// Driver "null": runs the kernels of the CPU, but does all work later, on a
/// thread per stream, after random delays and with the tiles in random order.
/// Its memory can be reached by other null devices, but not from the host nor
/// by other drivers, and starts with changing rubbish in it. So a missing wait
/// or copy shows as a wrong result. The seed of its choices is said to the log.
/// Devices have no settings.
std::unique_ptr<Driver> makeNullDriver();

} // namespace smp

#endif // SMP_DRIVERS_NULL_NULLDRIVER_H
